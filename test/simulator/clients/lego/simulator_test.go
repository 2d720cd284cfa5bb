// Whole DNS-01 challenges: lego presents them with its provider, waits for them at a DNS server, and cleans up. The DNS server answers
// from the zone files of the simulator. A certificate authority would ask the same questions.
package linode_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-acme/lego/v5/acme"
	"github.com/go-acme/lego/v5/acme/api"
	"github.com/go-acme/lego/v5/challenge"
	"github.com/go-acme/lego/v5/challenge/dns01"
	"github.com/go-acme/lego/v5/providers/dns/linode"
	"github.com/linode/linodego"
	"github.com/miekg/dns"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Starts the DNS server for all tests of the package, because the provider asks lego's default DNS client for the zone of a name.
func TestMain(m *testing.M) {
	listener, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	server := &dns.Server{PacketConn: listener, Handler: dns.HandlerFunc(serve)}
	go func() { _ = server.ActivateAndServe() }()
	nameserver = listener.LocalAddr().String()
	dns01.SetDefaultClient(dns01.NewClient(&dns01.Options{RecursiveNameservers: []string{nameserver}}))
	code := m.Run()
	_ = server.Shutdown()
	os.Exit(code)
}

func TestChallenge(t *testing.T) {
	t.Run("of a domain is served until the clean-up", func(t *testing.T) {
		zone := createZone(t, "apex.test")
		before := zone.served(t)
		apex := newChallenge(t, "apex.test", "one")
		apex.solve(t)
		assert.Equal(t, []string{"_acme-challenge.apex.test. 300 " + apex.value(t)}, zone.texts(t))
		apex.cleanUp(t)
		assert.Equal(t, before, zone.served(t))
	})

	t.Run("of a wildcard stands beside that of its domain, and each is cleaned up alone", func(t *testing.T) {
		zone := createZone(t, "wild.test")
		apex, wildcard := newChallenge(t, "wild.test", "one"), newChallenge(t, "*.wild.test", "two")
		apex.present(t)
		wildcard.present(t)
		apex.validate(t)
		wildcard.validate(t)
		apex.cleanUp(t)
		assert.Equal(t, []string{"_acme-challenge.wild.test. 300 " + wildcard.value(t)}, zone.texts(t))
		wildcard.cleanUp(t)
		assert.Empty(t, zone.texts(t))
	})

	t.Run("of a name below the domain is a record of the domain", func(t *testing.T) {
		zone := createZone(t, "below.test")
		deep := newChallenge(t, "a.b.below.test", "one")
		deep.solve(t)
		assert.Equal(t, []string{"_acme-challenge.a.b.below.test. 300 " + deep.value(t)}, zone.texts(t))
		deep.cleanUp(t)
		assert.Empty(t, zone.texts(t))
	})

	t.Run("belongs to the closest domain", func(t *testing.T) {
		upper, lower := createZone(t, "close.test"), createZone(t, "lower.close.test")
		closest := newChallenge(t, "www.lower.close.test", "one")
		closest.solve(t)
		assert.Empty(t, upper.texts(t))
		assert.Len(t, lower.texts(t), 1)
		closest.cleanUp(t)
		assert.Empty(t, lower.texts(t))
	})

	t.Run("follows a CNAME record to another domain", func(t *testing.T) {
		from, to := createZone(t, "from.test"), createZone(t, "to.test")
		from.add(t, linodego.RecordTypeCNAME, "_acme-challenge", "from.to.test")
		delegated := newChallenge(t, "from.test", "one")
		delegated.solve(t)
		assert.Empty(t, from.texts(t))
		assert.Equal(t, []string{"from.to.test. 300 " + delegated.value(t)}, to.texts(t))
		delegated.cleanUp(t)
		assert.Empty(t, to.texts(t))
	})

	t.Run("leaves other TXT records of the same name", func(t *testing.T) {
		zone := createZone(t, "other.test")
		zone.add(t, linodego.RecordTypeTXT, "_acme-challenge", "of another client")
		before := zone.served(t)
		own := newChallenge(t, "other.test", "one")
		own.solve(t)
		assert.Len(t, zone.texts(t), 2)
		own.cleanUp(t)
		assert.Equal(t, before, zone.served(t))
	})

	t.Run("with a wrong token changes no zone", func(t *testing.T) {
		zone := createZone(t, "token.test")
		before := zone.served(t)
		config := linode.NewDefaultConfig()
		config.Token = "wrong"
		provider, err := linode.NewDNSProviderConfig(config)
		require.NoError(t, err)
		err = provider.Present(t.Context(), "token.test", "", "key")
		assert.ErrorContains(t, err, "[401]")
		assert.Equal(t, before, zone.served(t))
	})
}

var nameserver string

func client() *linodego.Client {
	client := linodego.NewClient(nil)
	client.UseCache(false)
	client.SetToken(os.Getenv("SIMULATOR_TOKEN"))
	return &client
}

type zone struct{ linodego.Domain }

func createZone(t *testing.T, name string) zone {
	t.Helper()
	options := linodego.DomainCreateOptions{Domain: name, Type: linodego.DomainTypeMaster, SOAEmail: "admin@" + name}
	domain, err := client().CreateDomain(t.Context(), options)
	require.NoError(t, err)
	return zone{*domain}
}

func (z zone) add(t *testing.T, recordType linodego.DomainRecordType, name, target string) {
	t.Helper()
	options := linodego.DomainRecordCreateOptions{Type: recordType, Name: name, Target: target}
	_, err := client().CreateDomainRecord(t.Context(), z.ID, options)
	require.NoError(t, err)
}

// Returns all records of the zone file as text, without the SOA record, whose serial number changes.
func (z zone) served(t *testing.T) []string {
	t.Helper()
	records, err := zoneFile(t.Context(), z.Domain)
	require.NoError(t, err)
	var texts []string
	for _, record := range records {
		if record.Header().Rrtype != dns.TypeSOA {
			texts = append(texts, record.String())
		}
	}
	return texts
}

// Returns name, TTL and value of the TXT records of the zone file.
func (z zone) texts(t *testing.T) []string {
	t.Helper()
	records, err := zoneFile(t.Context(), z.Domain)
	require.NoError(t, err)
	var texts []string
	for _, record := range records {
		if text, ok := record.(*dns.TXT); ok {
			texts = append(texts, fmt.Sprintf("%s %d %s", text.Hdr.Name, text.Hdr.Ttl, strings.Join(text.Txt, "")))
		}
	}
	return texts
}

// A challenge of one name, and lego's solver for it.
type ownChallenge struct {
	solver *dns01.Challenge
	authz  acme.Authorization
	key    string
	asked  *int
}

func newChallenge(t *testing.T, name, token string) ownChallenge {
	t.Helper()
	config := linode.NewDefaultConfig()
	config.Token = os.Getenv("SIMULATOR_TOKEN")
	config.PollingInterval = time.Millisecond
	config.PropagationTimeout = 5 * time.Second
	provider, err := linode.NewDNSProviderConfig(config)
	require.NoError(t, err)
	core := newCore(t)
	key, err := core.GetKeyAuthorization(token)
	require.NoError(t, err)
	asked := 0
	// The certificate authority looks the value up by itself.
	validate := func(ctx context.Context, _ *api.Core, _ string, _ acme.Challenge) error {
		asked++
		return lookUp(ctx, strings.TrimPrefix(name, "*."), key)
	}
	domain, isWildcard := strings.CutPrefix(name, "*.")
	// The names of the name servers in the zone do not resolve here.
	solver := dns01.NewChallenge(core, validate, provider, dns01.DisableAuthoritativeNssPropagationRequirement())
	return ownChallenge{solver, acme.Authorization{
		Identifier: acme.Identifier{Type: "dns", Value: domain},
		Wildcard:   isWildcard,
		Challenges: []acme.Challenge{{Type: string(challenge.DNS01), Token: token}},
	}, key, &asked}
}

func (c ownChallenge) value(t *testing.T) string {
	t.Helper()
	return dns01.GetChallengeInfo(t.Context(), c.authz.Identifier.Value, c.key).Value
}

func (c ownChallenge) present(t *testing.T) {
	t.Helper()
	require.NoError(t, c.solver.PreSolve(t.Context(), c.authz))
}

// Waits until the DNS server has the value, then lets the certificate authority look.
func (c ownChallenge) validate(t *testing.T) {
	t.Helper()
	require.NoError(t, c.solver.Solve(t.Context(), c.authz))
	require.Equal(t, 1, *c.asked)
}

func (c ownChallenge) solve(t *testing.T) {
	t.Helper()
	c.present(t)
	c.validate(t)
}

func (c ownChallenge) cleanUp(t *testing.T) {
	t.Helper()
	require.NoError(t, c.solver.CleanUp(t.Context(), c.authz))
	require.Error(t, lookUp(t.Context(), c.authz.Identifier.Value, c.key))
}

// Returns a client of a certificate authority that offers a directory and nothing else.
func newCore(t *testing.T) *api.Core {
	t.Helper()
	directory := http.HandlerFunc(func(response http.ResponseWriter, _ *http.Request) {
		response.Header().Set("Content-Type", "application/json")
		_, _ = response.Write([]byte(`{"newNonce": "/nonce", "newAccount": "/account", "newOrder": "/order"}`))
	})
	authority := httptest.NewTLSServer(directory)
	t.Cleanup(authority.Close)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	core, err := api.New(authority.Client(), "test", authority.URL, "", key)
	require.NoError(t, err)
	return core
}

// Asks the DNS server for the value of a challenge.
func lookUp(ctx context.Context, domain, key string) error {
	info := dns01.GetChallengeInfo(ctx, domain, key)
	question := new(dns.Msg).SetQuestion(info.FQDN, dns.TypeTXT)
	reply, err := dns.ExchangeContext(ctx, question, nameserver)
	if err != nil {
		return err
	}
	for _, record := range reply.Answer {
		if text, ok := record.(*dns.TXT); ok && strings.Join(text.Txt, "") == info.Value {
			return nil
		}
	}
	return fmt.Errorf("%s has no TXT record %s", info.FQDN, info.Value)
}

// Answers a question as a resolver does: with the records of the name, and with the CNAME records on the way to them.
func serve(writer dns.ResponseWriter, request *dns.Msg) {
	reply := new(dns.Msg).SetReply(request)
	question := request.Question[0]
	reply.Rcode = dns.RcodeNameError
	for name := strings.ToLower(question.Name); name != ""; {
		records, err := recordsOf(name)
		if err != nil {
			reply.Rcode = dns.RcodeServerFailure
			break
		}
		if len(records) > 0 {
			reply.Rcode = dns.RcodeSuccess
		}
		name = ""
		for _, record := range records {
			alias, isAlias := record.(*dns.CNAME)
			if isAlias || record.Header().Rrtype == question.Qtype {
				reply.Answer = append(reply.Answer, record)
			}
			if isAlias && question.Qtype != dns.TypeCNAME {
				name = strings.ToLower(alias.Target)
			}
		}
	}
	_ = writer.WriteMsg(reply)
}

// Returns the records of a name in the zone of the closest domain.
func recordsOf(name string) ([]dns.RR, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	domains, err := client().ListDomains(ctx, nil)
	if err != nil {
		return nil, err
	}
	var closest linodego.Domain
	for _, domain := range domains {
		if dns.IsSubDomain(dns.Fqdn(domain.Domain), name) && len(domain.Domain) > len(closest.Domain) {
			closest = domain
		}
	}
	if closest.ID == 0 {
		return nil, nil
	}
	records, err := zoneFile(ctx, closest)
	return slices.DeleteFunc(records, func(record dns.RR) bool { return !strings.EqualFold(record.Header().Name, name) }), err
}

// Returns the records of a domain, as a parser of zone files reads them.
func zoneFile(ctx context.Context, domain linodego.Domain) ([]dns.RR, error) {
	file, err := client().GetDomainZoneFile(ctx, domain.ID)
	if err != nil {
		return nil, err
	}
	parser := dns.NewZoneParser(strings.NewReader(strings.Join(file.ZoneFile, "\n")+"\n"), dns.Fqdn(domain.Domain), "")
	var records []dns.RR
	for record, more := parser.Next(); more; record, more = parser.Next() {
		records = append(records, record)
	}
	return records, errors.Join(err, parser.Err())
}
