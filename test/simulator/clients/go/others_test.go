package clients

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"
	"testing"

	"github.com/linode/linodego"
	"github.com/miekg/dns"
)

func TestFirewallsAndAddresses(t *testing.T) {
	ctx, client := connect(t, "v4")
	instance := running(ctx, t, client, "go-network")
	networks := []string{"0.0.0.0/0"}
	rules := linodego.FirewallRuleSet{
		InboundPolicy: "DROP", OutboundPolicy: "ACCEPT",
		Inbound: []linodego.FirewallRule{{
			Action: "ACCEPT", Label: "web", Protocol: linodego.TCP, Ports: "80, 443-445",
			Addresses: linodego.NetworkAddresses{IPv4: &networks},
		}},
	}
	firewall := must(client.CreateFirewall(ctx, linodego.FirewallCreateOptions{
		Label: "go-wall", Rules: rules, Devices: linodego.DevicesCreationOptions{Linodes: []int{instance.ID}},
	}))(t)
	devices := must(client.ListFirewallDevices(ctx, firewall.ID, nil))(t)
	if len(devices) != 1 || devices[0].Entity.Type != linodego.FirewallDeviceLinode || devices[0].Entity.ID != instance.ID {
		t.Fatalf("devices: %+v", devices)
	}
	rules.Inbound[0].Ports = "22"
	must(client.UpdateFirewallRules(ctx, firewall.ID, rules))(t)
	if kept := must(client.GetFirewallRules(ctx, firewall.ID))(t); kept.Inbound[0].Ports != "22" {
		t.Fatalf("rules: %+v", kept)
	}
	must(client.UpdateFirewall(ctx, firewall.ID, linodego.FirewallUpdateOptions{Status: linodego.FirewallDisabled}))(t)
	if of := must(client.ListInstanceFirewalls(ctx, instance.ID, nil))(t); len(of) != 1 || of[0].Status != linodego.FirewallDisabled {
		t.Fatalf("firewalls of the instance: %+v", of)
	}

	address := must(client.AddInstanceIPAddress(ctx, instance.ID, true))(t)
	if address.LinodeID != instance.ID || !address.Public {
		t.Fatalf("address: %+v", address)
	}
	created := must(client.CreateIPv6Range(ctx, linodego.IPv6RangeCreateOptions{LinodeID: instance.ID, PrefixLength: 64}))(t)
	plain, _, _ := strings.Cut(created.Range, "/")
	if seen := must(client.GetIPv6Range(ctx, plain))(t); seen.Linodes[0] != instance.ID {
		t.Fatalf("range: %+v", seen)
	}
	if all := must(client.GetInstanceIPAddresses(ctx, instance.ID))(t); len(all.IPv4.Public) != 2 || len(all.IPv6.Global) != 1 {
		t.Fatalf("addresses: %+v", all)
	}
	ok(t, client.DeleteIPv6Range(ctx, plain))
	ok(t, client.DeleteInstanceIPAddress(ctx, instance.ID, address.Address))
	ok(t, client.DeleteFirewall(ctx, firewall.ID))
}

func TestDomainsRecordsAndTags(t *testing.T) {
	ctx, client := connect(t, "v4")
	domain := must(client.CreateDomain(ctx, linodego.DomainCreateOptions{
		Domain: "go-client.example", Type: linodego.DomainTypeMaster, SOAEmail: "admin@go-client.example", Tags: []string{"go-domains"},
	}))(t)
	priority := 10
	must(client.CreateDomainRecord(ctx, domain.ID, linodego.DomainRecordCreateOptions{Type: linodego.RecordTypeMX, Target: "mail.go-client.example", Priority: &priority}))(t)
	record := must(client.CreateDomainRecord(ctx, domain.ID, linodego.DomainRecordCreateOptions{Type: linodego.RecordTypeA, Name: "www", Target: "192.0.2.1"}))(t)
	record = must(client.UpdateDomainRecord(ctx, domain.ID, record.ID, linodego.DomainRecordUpdateOptions{Target: "192.0.2.2", TTLSec: 300}))(t)
	if record.Target != "192.0.2.2" || record.TTLSec != 300 {
		t.Fatalf("record: %+v", record)
	}
	instance := must(client.CreateInstance(ctx, linodego.InstanceCreateOptions{Region: region, Type: "g6-nanode-1", Label: "go-tagged"}))(t)
	must(client.CreateTag(ctx, linodego.TagCreateOptions{Label: "go-mixed", Linodes: []int{instance.ID}, Domains: []int{domain.ID}}))(t)
	tagged := must(client.ListTaggedObjects(ctx, "go-mixed", nil))(t)
	sorted := must(tagged.SortedObjects())(t)
	if len(sorted.Instances) != 1 || len(sorted.Domains) != 1 {
		t.Fatalf("tagged: %+v", sorted)
	}
	ok(t, client.DeleteTag(ctx, "go-mixed"))
	ok(t, client.DeleteDomain(ctx, domain.ID))
}

func TestZoneFileIsParsedByADNSLibrary(t *testing.T) {
	ctx, client := connect(t, "v4")
	const origin = "zone.example"
	domain := must(client.CreateDomain(ctx, linodego.DomainCreateOptions{
		Domain: origin, Type: linodego.DomainTypeMaster, SOAEmail: "jane.doe@zone.example",
	}))(t)
	text := "say \"hi\" \\ ü\n" + strings.Repeat("x", 600)
	ten, five, port, service, protocol, tag := 10, 5, 5060, "sip", "tcp", "issue"
	for _, record := range []linodego.DomainRecordCreateOptions{
		{Type: linodego.RecordTypeA, Name: "www", Target: "192.0.2.1"},
		{Type: linodego.RecordTypeAAAA, Name: "*", Target: "2001:db8::1"},
		{Type: linodego.RecordTypeCNAME, Name: "alias", Target: "www.zone.example"},
		{Type: linodego.RecordTypeMX, Target: "mail.zone.example.", Priority: &ten},
		{Type: linodego.RecordTypeNS, Name: "sub", Target: "ns.example.net"},
		{Type: linodego.RecordTypeTXT, Target: text},
		{Type: linodego.RecordTypeSRV, Target: "sip.example.net", Service: &service, Protocol: &protocol, Port: &port, Priority: &ten, Weight: &five},
		{Type: linodego.RecordTypeCAA, Target: "ca.example.net", Tag: &tag},
	} {
		must(client.CreateDomainRecord(ctx, domain.ID, record))(t)
	}
	zone := must(client.GetDomainZoneFile(ctx, domain.ID))(t)
	parser := dns.NewZoneParser(strings.NewReader(strings.Join(zone.ZoneFile, "\n")+"\n"), origin+".", "")
	kinds := map[uint16]dns.RR{}
	for record, more := parser.Next(); more; record, more = parser.Next() {
		kinds[record.Header().Rrtype] = record
	}
	ok(t, parser.Err())
	for _, kind := range []uint16{dns.TypeSOA, dns.TypeNS, dns.TypeA, dns.TypeAAAA, dns.TypeCNAME, dns.TypeMX, dns.TypeTXT, dns.TypeSRV, dns.TypeCAA} {
		if kinds[kind] == nil {
			t.Errorf("no %s record in\n%s", dns.TypeToString[kind], strings.Join(zone.ZoneFile, "\n"))
		}
	}
	if contact := kinds[dns.TypeSOA].(*dns.SOA).Mbox; contact != `jane\.doe.zone.example.` {
		t.Errorf("contact: %s", contact)
	}
	if name := kinds[dns.TypeSRV].Header().Name; name != "_sip._tcp.zone.example." {
		t.Errorf("name of the service: %s", name)
	}
	if pieces := len(kinds[dns.TypeTXT].(*dns.TXT).Txt); pieces != 3 {
		t.Errorf("%d strings in the text", pieces)
	}
}

func TestObjectStorageAndImageUpload(t *testing.T) {
	ctx, client := connect(t, "v4")
	bucket := must(client.CreateObjectStorageBucket(ctx, linodego.ObjectStorageBucketCreateOptions{Cluster: "us-east-1", Label: "go-bucket"}))(t)
	access := []linodego.ObjectStorageKeyBucketAccess{{Cluster: bucket.Cluster, BucketName: bucket.Label, Permissions: "read_only"}}
	key := must(client.CreateObjectStorageKey(ctx, linodego.ObjectStorageKeyCreateOptions{Label: "go", BucketAccess: &access}))(t)
	if !key.Limited || key.SecretKey == "" {
		t.Fatalf("key: %+v", key)
	}
	signed := must(client.CreateObjectStorageObjectURL(ctx, bucket.Cluster, bucket.Label, linodego.ObjectStorageObjectURLCreateOptions{
		Name: "folder/a.txt", Method: http.MethodPut, ContentType: "text/plain",
	}))(t)
	request := must(http.NewRequestWithContext(ctx, http.MethodPut, signed.URL, strings.NewReader("hello")))(t)
	request.Header.Set("Content-Type", "text/plain")
	answer := must(http.DefaultClient.Do(request))(t)
	ok(t, answer.Body.Close())
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("upload: %s", answer.Status)
	}
	listed := must(client.ListObjectStorageBucketContents(ctx, bucket.Cluster, bucket.Label, nil))(t)
	if len(listed.Data) != 1 || listed.Data[0].Name != "folder/a.txt" || listed.Data[0].LastModified == nil {
		t.Fatalf("contents: %+v", listed)
	}

	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	must(writer.Write(make([]byte, 1<<20)))(t)
	ok(t, writer.Close())
	image := must(client.UploadImage(ctx, linodego.ImageUploadOptions{Region: region, Label: "go-upload", Image: &packed}))(t)
	must(client.WaitForImageStatus(ctx, image.ID, linodego.ImageStatusAvailable, waitUntil))(t)
}

func TestDatabases(t *testing.T) {
	ctx, client := connect(t, "v4")
	if engine := must(client.GetDatabaseEngine(ctx, nil, "mysql/8.0.35"))(t); engine.Version != "8.0.35" {
		t.Fatalf("engine: %+v", engine)
	}
	database := must(client.CreateMySQLDatabase(ctx, linodego.MySQLCreateOptions{
		Label: "go-database", Region: region, Type: "g6-nanode-1", Engine: "mysql/8.0.35", AllowList: []string{"192.0.2.1"},
	}))(t)
	ok(t, client.WaitForDatabaseStatus(ctx, database.ID, linodego.DatabaseEngineTypeMySQL, linodego.DatabaseStatusActive, waitUntil))
	database = must(client.GetMySQLDatabase(ctx, database.ID))(t)
	if database.Hosts.Primary == "" || database.AllowList[0] != "192.0.2.1/32" || database.Port == 0 {
		t.Fatalf("database: %+v", database)
	}
	if credentials := must(client.GetMySQLDatabaseCredentials(ctx, database.ID))(t); credentials.Password == "" {
		t.Fatalf("credentials: %+v", credentials)
	}
	if ssl := must(client.GetMySQLDatabaseSSL(ctx, database.ID))(t); !strings.Contains(string(ssl.CACertificate), "BEGIN CERTIFICATE") {
		t.Fatalf("certificate: %s", ssl.CACertificate)
	}
	must(client.UpdateMySQLDatabase(ctx, database.ID, linodego.MySQLUpdateOptions{Label: "go-renamed"}))(t)
	if all := must(client.ListDatabases(ctx, nil))(t); len(all) != 1 || all[0].InstanceURI == "" {
		t.Fatalf("databases: %+v", all)
	}
	ok(t, client.DeleteMySQLDatabase(ctx, database.ID))
}

func TestProfileAndEvents(t *testing.T) {
	ctx, client := connect(t, "v4")
	profile := must(client.GetProfile(ctx))(t)
	if profile.Username == "" || profile.UID == 0 {
		t.Fatalf("profile: %+v", profile)
	}
	must(client.UpdateProfile(ctx, linodego.ProfileUpdateOptions{Timezone: "Europe/Paris"}))(t)
	must(client.ListProfileApps(ctx, nil))(t)
	must(client.ListProfileDevices(ctx, nil))(t)
	must(client.ListProfileLogins(ctx, nil))(t)
	must(client.SecurityQuestionsList(ctx))(t)
	must(client.GrantsList(ctx))(t)
	must(client.UpdateProfilePreferences(ctx, linodego.ProfilePreferences{"theme": "dark"}))(t)
	must(client.GetAccount(ctx))(t)
	must(client.ListBetaPrograms(ctx, nil))(t)
	must(client.JoinBetaProgram(ctx, linodego.AccountBetaProgramCreateOpts{ID: "fast-disks"}))(t)
	must(client.ListAccountBetaPrograms(ctx, nil))(t)

	created := must(client.CreateInstance(ctx, linodego.InstanceCreateOptions{Region: region, Type: "g6-nanode-1", Label: "go-events"}))(t)
	must(client.UpdateInstance(ctx, created.ID, linodego.InstanceUpdateOptions{Label: "go-events-renamed"}))(t)
	filter := linodego.Filter{OrderBy: "created", Order: linodego.Descending}
	filter.AddField(linodego.Eq, "entity.id", created.ID)
	filter.AddField(linodego.Eq, "entity.type", linodego.EntityLinode)
	filter.AddField(linodego.Eq, "action", linodego.ActionLinodeUpdate)
	text := must(filter.MarshalJSON())(t)
	events := must(client.ListEvents(ctx, linodego.NewListOptions(0, string(text))))(t)
	if len(events) != 1 || events[0].Entity.Label != "go-events-renamed" || events[0].Created == nil {
		t.Fatalf("events: %+v", events)
	}
	ok(t, client.MarkEventsSeen(ctx, &events[0]))
}
