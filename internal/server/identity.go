package server

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"fmt"
	"net/http"
	"os"
	"strings"

	"ujumbe/internal/auth"
	"ujumbe/internal/auth/devidp"
	"ujumbe/internal/auth/idp"
	"ujumbe/internal/clock"
	"ujumbe/internal/config"
	"ujumbe/internal/token"
)

// mountIdentities adds the identity providers' slots, and in development a
// provider of our own behind each that is not configured.
func (s *Server) mountIdentities(service *auth.Service, c clock.Clock) (*auth.Identities, error) {
	providers := map[string]idp.Provider{}
	for slot, settings := range s.config.Slots() {
		provider, err := s.identityProvider(slot, settings, c)
		if err != nil {
			return nil, err
		}
		if provider != nil {
			providers[slot] = provider
		}
	}
	identities := auth.NewIdentities(service, providers)
	auth.MountIdentities(s.public, identities, s.config.PublicURL, config.SlotNames)
	return identities, nil
}

// identityProvider returns the provider of a slot, or nil for one that is not
// configured.
func (s *Server) identityProvider(slot string, from config.IDP, c clock.Clock) (idp.Provider, error) {
	settings := idp.Settings{
		Kind: idp.Kind(from.Kind), Issuer: from.Issuer, ClientID: from.ClientID, ClientSecret: from.ClientSecret,
		RedirectURL: from.RedirectURL, Scopes: strings.Fields(from.Scopes),
		AuthURL: from.AuthURL, TokenURL: from.TokenURL, UserURL: from.UserURL,
		TeamID: from.TeamID, KeyID: from.KeyID, Clock: c,
	}
	if settings.RedirectURL == "" {
		settings.RedirectURL = s.config.PublicURL + auth.CallbackPath + slot
	}
	var err error
	switch {
	case from.Kind == "" && !bool(s.config.Dev):
		return nil, nil
	case from.Kind == "":
		settings, err = s.devProvider(slot, settings)
	case from.KeyFile != "":
		settings.Key, err = readAppleKey(slot, from.KeyFile)
	}
	if err != nil {
		return nil, err
	}
	return idp.New(settings)
}

func readAppleKey(slot, path string) (*ecdsa.PrivateKey, error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", config.SlotVariable(slot, "KEY_FILE"), err)
	}
	key, err := idp.ParseAppleKey(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", config.SlotVariable(slot, "KEY_FILE"), err)
	}
	return key, nil
}

// devProvider serves a development provider for the slot and completes the
// settings of its client. The last slot has Apple's shape. Browsers reach it by
// its pages; this server does so without leaving the process.
func (s *Server) devProvider(slot string, settings idp.Settings) (idp.Settings, error) {
	prefix := "/dev/idp/" + slot
	settings.Kind, settings.Issuer, settings.ClientID = idp.OpenID, s.config.PublicURL+prefix, "ujumbe"
	settings.ClientSecret = token.NewOpaque().Reveal()
	options := devidp.Options{
		Issuer: settings.Issuer, ClientID: settings.ClientID, ClientSecret: settings.ClientSecret,
		RedirectURL: settings.RedirectURL, Clock: settings.Clock,
	}
	if slot == "idp_d" {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			return settings, fmt.Errorf("make client key: %w", err)
		}
		settings.Kind, settings.TeamID, settings.KeyID, settings.Key = idp.Apple, "team", "key", key
		options.Apple, options.TeamID, options.KeyID, options.ClientKey = true, settings.TeamID, settings.KeyID, &key.PublicKey
	}
	provider, err := devidp.New(options)
	if err != nil {
		return settings, err
	}
	settings.Transport = provider.Transport()
	s.public.Mux.Handle(prefix+"/", localOnly(http.StripPrefix(prefix, provider)))
	return settings, nil
}
