package auth

import (
	"bytes"
	"context"
	"slices"
	"time"

	"golang.org/x/oauth2"

	"ujumbe/internal/auth/idp"
	"ujumbe/internal/database"
	"ujumbe/internal/fault"
	"ujumbe/internal/httpapi"
	"ujumbe/internal/ratelimit"
	"ujumbe/internal/token"
)

// A flow is one sign-in through a provider, from the address that Begin returns
// to the code that Finish takes. It is bound to its slot and redirect address,
// lasts ten minutes and is spent once.
//
// What returns is tied to what was begun in two ways. A client that sends the
// state, or the cookie that holds it, names its flow before the code is
// exchanged; a browser must. Any other client may send nothing but the code: then
// the nonce in the identity token names the flow, after the exchange.
//
// PKCE needs the verifier at the exchange, so only flows of the first kind can
// have it. Which kind a flow will be must be guessed when it begins: one begun by
// a web page gets a verifier and can't be finished by its nonce alone; one begun
// by a program gets none.
type flow struct {
	stateHash, nonceHash []byte // those that are known of it
	slot, redirectURL    string
	verifier             string
}

const flowLife = 10 * time.Minute

// flowsByAddress bounds the flows that one address may leave lying about.
var flowsByAddress = ratelimit.Rule{Name: "flow-ip", Events: 600, Window: 15 * time.Minute}

var (
	errFlow  = fault.BadRequest("invalid_flow", "This sign-in is unknown, used, older than ten minutes or begun in another browser or for another provider. Start it again.")
	errState = fault.BadRequest("state_required", "Send the state that came back with the code, so that this sign-in can be told from another's.")
)

// Begin starts a flow and returns the address to send the browser to, with the
// state that its cookie may hold.
func (i *Identities) Begin(ctx context.Context, slot string) (address, state string, err error) {
	provider, err := i.provider(slot)
	if err != nil {
		return "", "", err
	}
	client := httpapi.ClientOf(ctx)
	secret, nonce, verifier := token.NewOpaque(), token.NewOpaque(), ""
	if client.Browser {
		verifier = oauth2.GenerateVerifier()
	}
	address, err = provider.Begin(ctx, idp.Flow{State: secret.Reveal(), Nonce: nonce.Reveal(), Verifier: verifier})
	if err != nil {
		return "", "", providerFault(ctx, slot, err)
	}
	begun := flow{
		stateHash: secret.Hash(), nonceHash: nonce.Hash(), slot: slot, redirectURL: provider.RedirectURL(), verifier: verifier,
	}
	err = i.DB.InTx(ctx, func(tx database.Tx) error {
		if err := i.Limiter.Take(ctx, tx, flowsByAddress.On(ratelimit.Network(client.IP))); err != nil {
			return err
		}
		return i.store.addFlow(ctx, tx, begun, i.Clock.Now().Add(flowLife))
	})
	return address, secret.Reveal(), err
}

// findFlow returns the open flow that the client names, or one that is known by
// its slot alone until a nonce names it.
func (i *Identities) findFlow(ctx context.Context, slot string, provider idp.Provider, r Return) (flow, error) {
	unnamed := flow{slot: slot, redirectURL: provider.RedirectURL()}
	states := r.Begun
	switch {
	case r.State != "" && len(r.Begun) > 0 && !slices.Contains(r.Begun, r.State):
		// The browser has begun others, but not this one.
		return flow{}, errFlow
	case r.State != "":
		states = []string{r.State}
	case len(states) > 0:
	case httpapi.ClientOf(ctx).Browser || !provider.HasNonce():
		return flow{}, errState
	default:
		return unnamed, nil
	}
	for _, state := range states {
		raw, ok := token.ParseOpaque(state)
		if !ok {
			continue
		}
		unnamed.stateHash = raw.Hash()
		found, ok, err := i.store.findFlow(ctx, i.DB, unnamed)
		if err != nil || ok {
			return found, err
		}
	}
	return flow{}, errFlow
}

// withNonce holds the identity token's nonce against the flow's, or names the
// flow by it.
func (f flow) withNonce(nonce string) (flow, error) {
	raw, ok := token.ParseOpaque(nonce)
	if !ok || (f.nonceHash != nil && !bytes.Equal(f.nonceHash, raw.Hash())) {
		return flow{}, errFlow
	}
	f.nonceHash = raw.Hash()
	return f, nil
}

func (i *Identities) spendFlow(ctx context.Context, tx database.Tx, f flow) error {
	spent, err := i.store.spendFlow(ctx, tx, f)
	if err != nil {
		return err
	}
	if !spent {
		return errFlow
	}
	return nil
}

// SweepFlows deletes flows that nobody can finish any more.
func (i *Identities) SweepFlows(ctx context.Context) error {
	return i.store.sweepFlows(ctx, i.DB)
}
