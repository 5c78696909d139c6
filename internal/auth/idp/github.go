package idp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// gitHub speaks plain OAuth: there is no identity token, so who somebody is is
// asked of the API, and only the state ties an answer to its flow.
type gitHub struct {
	Settings
	client   *http.Client
	endpoint oauth2.Endpoint
}

const gitHubAPI = "https://api.github.com"

// newGitHub knows the addresses of github.com and, for another issuer, those of
// GitHub Enterprise Server.
func newGitHub(s Settings, client *http.Client) *gitHub {
	issuer, api := strings.TrimSuffix(s.Issuer, "/"), gitHubAPI
	if issuer != kinds[GitHub].issuer {
		api = issuer + "/api/v3"
	}
	g := &gitHub{Settings: s, client: client}
	g.endpoint = oauth2.Endpoint{
		AuthURL: cmp.Or(s.AuthURL, issuer+"/login/oauth/authorize"), TokenURL: cmp.Or(s.TokenURL, issuer+"/login/oauth/access_token"),
		AuthStyle: kinds[GitHub].style,
	}
	g.UserURL = cmp.Or(s.UserURL, api+"/user")
	return g
}

func (g *gitHub) HasNonce() bool      { return false }
func (g *gitHub) RedirectURL() string { return g.Settings.RedirectURL }

func (g *gitHub) config() *oauth2.Config {
	return &oauth2.Config{
		ClientID: g.ClientID, ClientSecret: g.ClientSecret, Endpoint: g.endpoint,
		RedirectURL: g.Settings.RedirectURL, Scopes: g.Scopes,
	}
}

func (g *gitHub) Begin(_ context.Context, f Flow) (string, error) {
	return authorize(g.config(), f), nil
}

func (g *gitHub) Finish(ctx context.Context, code, verifier string) (Identity, error) {
	ctx, cancel := context.WithTimeout(oidc.ClientContext(ctx, g.client), finishTime)
	defer cancel()
	issued, err := exchange(ctx, g.config(), code, verifier)
	if err != nil {
		return Identity{}, err
	}
	var user struct {
		ID   int64  `json:"id"`
		Name string `json:"name"`
	}
	if err := g.get(ctx, issued, g.UserURL, &user); err != nil {
		return Identity{}, err
	}
	if user.ID == 0 {
		return Identity{}, fmt.Errorf("%w: user without id", ErrUnavailable)
	}
	identity := Identity{Issuer: g.Issuer, Subject: strconv.FormatInt(user.ID, 10)}
	identity.FirstName, identity.LastName = splitName(user.Name)
	identity.Email, err = g.primaryEmail(ctx, issued)
	identity.EmailVerified = identity.Email != ""
	return identity, err
}

// primaryEmail returns the primary address if GitHub has verified it.
func (g *gitHub) primaryEmail(ctx context.Context, issued *oauth2.Token) (string, error) {
	var emails []struct {
		Email    string `json:"email"`
		Primary  bool   `json:"primary"`
		Verified bool   `json:"verified"`
	}
	if err := g.get(ctx, issued, g.UserURL+"/emails?per_page=100", &emails); err != nil {
		return "", err
	}
	for _, e := range emails {
		if e.Primary && e.Verified {
			return e.Email, nil
		}
	}
	return "", nil
}

func (g *gitHub) get(ctx context.Context, issued *oauth2.Token, address string, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	issued.SetAuthHeader(request)
	request.Header.Set("Accept", "application/vnd.github+json")
	response, err := g.client.Do(request)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(into); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrUnavailable, address, err)
	}
	return nil
}
