package auth

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"
	"unicode"

	"ujumbe/internal/account"
	"ujumbe/internal/audit"
	"ujumbe/internal/auth/idp"
	"ujumbe/internal/database"
	"ujumbe/internal/fault"
	"ujumbe/internal/field"
	"ujumbe/internal/httpapi"
	"ujumbe/internal/mail"
	"ujumbe/internal/ratelimit"
	"ujumbe/internal/team"
)

// Identities signs people in through identity providers.
type Identities struct {
	*Service
	providers map[string]idp.Provider
}

// NewIdentities returns the rules for the providers of each slot. A slot that is
// missing is not configured.
func NewIdentities(service *Service, providers map[string]idp.Provider) *Identities {
	return &Identities{Service: service, providers: providers}
}

// Return is what a client brings back from a provider.
type Return struct {
	Code string
	// State is what came back with the code; clients may leave it out.
	State string
	// Begun are the states of the flows that this browser has begun, by its
	// cookie, newest first.
	Begun []string
	// FirstName and LastName are for providers that tell a name to the browser
	// alone, and for people who have been asked for it.
	FirstName, LastName string
}

var (
	errNoProvider = fault.NotFound("identity_provider_not_configured", "This identity provider is not set up here. Sign in another way.")
	errCode       = fault.BadRequest("invalid_code", "The identity provider did not accept this code: it is wrong, used or expired. Start the sign-in again.")
	errIdentity   = fault.BadRequest("invalid_identity_token", "What the identity provider answered could not be verified. Start the sign-in again; if it goes on, tell the operator.")
	errProvider   = fault.Unavailable("identity_provider_unavailable", "The identity provider does not answer as it should. Try again in a few seconds, or sign in another way.", 5*time.Second)
	errAddress    = fault.BadRequest("email_not_verified", "The identity provider does not vouch for an email address of yours. Verify your address there and come back, or register here with an email and a password.")
	errUnproven   = fault.Unauthorized("email_not_verified", "Your email address here is not verified. Follow the link that was mailed to it, or ask for another one.")
	errInactive   = fault.Unauthorized("user_not_active", "You are not active in any organization. Ask its owner to reactivate you.")
)

func (i *Identities) provider(slot string) (idp.Provider, error) {
	provider, ok := i.providers[slot]
	if !ok {
		return nil, errNoProvider
	}
	return provider, nil
}

// Finish signs in whoever came back from a provider. The flow is spent in the
// transaction that signs them in: an outage on the way leaves it open.
func (i *Identities) Finish(ctx context.Context, slot string, r Return) (Result, error) {
	provider, err := i.provider(slot)
	if err != nil {
		return Result{}, err
	}
	from := ratelimit.Network(httpapi.ClientOf(ctx).IP)
	if err := i.Limiter.Check(ctx, failuresByAddress, from); err != nil {
		return Result{}, err
	}
	result, err := i.finish(ctx, slot, provider, r)
	if fault.Is(err, fault.KindBadRequest) || fault.Is(err, fault.KindUnauthorized) {
		_ = i.Limiter.Count(ctx, failuresByAddress, from) // the answer stands, whatever the count
	}
	return result, err
}

func (i *Identities) finish(ctx context.Context, slot string, provider idp.Provider, r Return) (Result, error) {
	f, err := i.findFlow(ctx, slot, provider, r)
	if err != nil {
		return Result{}, err
	}
	identity, err := provider.Finish(ctx, r.Code, f.verifier)
	if err != nil {
		return Result{}, providerFault(ctx, slot, err)
	}
	if provider.HasNonce() {
		if f, err = f.withNonce(identity.Nonce); err != nil {
			return Result{}, err
		}
	}
	identity.FirstName, identity.LastName = nameOf(identity, r)
	return i.enterAs(ctx, slot, f, identity)
}

// providerFault is what the caller reads of a provider's failure; the log has
// the rest.
func providerFault(ctx context.Context, slot string, err error) error {
	answer, level := err, slog.LevelWarn
	switch {
	case errors.Is(err, idp.ErrCode):
		answer, level = errCode, slog.LevelDebug // anyone can send a wrong code
	case errors.Is(err, idp.ErrToken):
		answer = errIdentity
	case errors.Is(err, idp.ErrUnavailable):
		answer = errProvider
	}
	slog.Log(ctx, level, "sign-in through identity provider failed", "slot", slot, "error", err, "requestId", httpapi.ClientOf(ctx).RequestID)
	return answer
}

// nameOf takes the provider's word for a name before the client's.
func nameOf(identity idp.Identity, r Return) (first, last string) {
	first, last = cleanName(identity.FirstName), cleanName(identity.LastName)
	if first == "" && last == "" {
		first, last = cleanName(r.FirstName), cleanName(r.LastName)
	}
	return first, last
}

// cleanName fits what others call a name into what one is here.
func cleanName(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, strings.ToValidUTF8(name, ""))
	return shorten(strings.TrimSpace(name), field.NameMax)
}

func shorten(text string, most int) string {
	runes := []rune(text)
	return strings.TrimSpace(string(runes[:min(len(runes), most)]))
}

// errAgain asks for another try: somebody else made the same person meanwhile,
// who will be found then.
var errAgain = errors.New("made by another sign-in meanwhile")

// enterTries bounds the tries. One is enough for two sign-ins at once.
const enterTries = 4

// enterAs spends the flow and signs the identity in.
func (i *Identities) enterAs(ctx context.Context, slot string, f flow, identity idp.Identity) (Result, error) {
	var result Result
	err := errAgain
	for try := 0; try < enterTries && errors.Is(err, errAgain); try++ {
		err = i.DB.InTx(ctx, func(tx database.Tx) error {
			if err := i.spendFlow(ctx, tx, f); err != nil {
				return err
			}
			user, err := i.personOf(ctx, tx, slot, identity)
			if err != nil {
				return err
			}
			if err := i.store.nameUnnamed(ctx, tx, user, identity.FirstName, identity.LastName); err != nil {
				return err
			}
			if err := i.store.recordLogin(ctx, tx, user); err != nil {
				return err
			}
			result, err = i.open(ctx, tx, user, "by "+slot)
			return err
		})
	}
	// Somebody without an active membership has nowhere to sign in to.
	if fault.Is(err, fault.KindForbidden) {
		return Result{}, errInactive
	}
	if err != nil {
		return Result{}, err
	}
	return result, nil
}

// personOf finds or makes the user behind an identity. The link decides; an
// address does only where the provider has verified it, or anyone could enter
// anyone's account by naming its address.
func (i *Identities) personOf(ctx context.Context, tx database.Tx, slot string, identity idp.Identity) (account.UserID, error) {
	vouched := identity.EmailVerified && mail.ValidAddress(identity.Email)
	linked, ok, err := i.store.byIdentity(ctx, tx, identity.Issuer, identity.Subject)
	if err != nil {
		return account.UserID{}, err
	}
	if ok {
		return linked.user, i.admitLinked(ctx, tx, linked, vouched && mail.AddressKey(identity.Email) == mail.AddressKey(linked.email))
	}
	if !vouched {
		return account.UserID{}, errAddress
	}
	found, ok, err := i.store.byEmail(ctx, tx, mail.AddressKey(identity.Email))
	switch {
	case err != nil:
		return account.UserID{}, err
	case !ok:
		found, err = i.enrollIdentity(ctx, tx, identity)
	case !found.verified:
		// Whoever registered the address need not be who owns it.
		err = i.dispossess(ctx, tx, found.user)
	}
	if err != nil {
		return account.UserID{}, err
	}
	return found.user, i.link(ctx, tx, slot, identity, found)
}

// admitLinked lets a known person in if their address here is verified, or is
// now by the provider's word.
func (i *Identities) admitLinked(ctx context.Context, tx database.Tx, known mailbox, vouched bool) error {
	switch {
	case known.verified:
		return nil
	case vouched:
		return i.store.verify(ctx, tx, known.user)
	}
	return errUnproven
}

// enrollIdentity makes a new person with an organization of their own.
func (i *Identities) enrollIdentity(ctx context.Context, tx database.Tx, identity idp.Identity) (mailbox, error) {
	user, _, err := i.enroll(ctx, tx, organizationName(identity), team.Person{
		FirstName: identity.FirstName, LastName: identity.LastName, Email: identity.Email, IsVerified: true,
	})
	if errors.Is(err, team.ErrEmailTaken) {
		return mailbox{}, errAgain
	}
	return mailbox{user: user.ID, name: user.FirstName, email: user.Email, verified: true}, err
}

// organizationName calls a new organization after its owner.
func organizationName(identity idp.Identity) string {
	named := slices.DeleteFunc([]string{identity.FirstName, identity.LastName}, func(part string) bool { return part == "" })
	if len(named) == 0 {
		local, _, _ := strings.Cut(identity.Email, "@")
		named = []string{local}
	}
	return shorten(strings.Join(named, " "), account.NameMax)
}

// link remembers who a person is to the provider.
func (i *Identities) link(ctx context.Context, tx database.Tx, slot string, identity idp.Identity, m mailbox) error {
	added, err := i.store.addLink(ctx, tx, identity.Issuer, identity.Subject, m.user)
	if err != nil {
		return err
	}
	if !added {
		return errAgain
	}
	found, err := i.Users.AtHome(ctx, tx, m.user)
	if err != nil {
		return err
	}
	return i.record(ctx, tx, found.Member(), m.email, audit.IdentityLinked, slot+" "+identity.Issuer)
}
