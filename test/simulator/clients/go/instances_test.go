package clients

import (
	"net/http"
	"testing"
	"time"

	"github.com/linode/linodego"
)

func TestInstanceThroughItsLife(t *testing.T) {
	ctx, client := connect(t, "v4")
	poller := must(client.NewEventPollerWithoutEntity(linodego.EntityLinode, linodego.ActionLinodeCreate))(t)
	instance := must(client.CreateInstance(ctx, linodego.InstanceCreateOptions{
		Region: region, Type: "g6-standard-1", Image: image, RootPass: password, Label: "go-life", PrivateIP: true,
	}))(t)
	poller.EntityID = instance.ID
	if event := must(poller.WaitForFinished(ctx, waitUntil))(t); event.Action != linodego.ActionLinodeCreate {
		t.Fatalf("event: %+v", event)
	}
	instance = must(client.WaitForInstanceStatus(ctx, instance.ID, linodego.InstanceRunning, waitUntil))(t)
	if instance.Image != image || len(instance.IPv4) != 2 || instance.Specs.Memory != 2048 || instance.Created == nil {
		t.Fatalf("instance: %+v", instance)
	}

	began := time.Now().Add(-time.Second)
	ok(t, client.ShutdownInstance(ctx, instance.ID))
	must(client.WaitForInstanceStatus(ctx, instance.ID, linodego.InstanceOffline, waitUntil))(t)
	must(client.WaitForEventFinished(ctx, instance.ID, linodego.EntityLinode, linodego.ActionLinodeShutdown, began, waitUntil))(t)

	grow := true
	ok(t, client.ResizeInstance(ctx, instance.ID, linodego.InstanceResizeOptions{Type: "g6-standard-2", AllowAutoDiskResize: &grow}))
	must(client.WaitForInstanceStatus(ctx, instance.ID, linodego.InstanceOffline, waitUntil))(t)
	if resized := must(client.GetInstance(ctx, instance.ID))(t); resized.Type != "g6-standard-2" {
		t.Fatalf("type after the resize: %s", resized.Type)
	}
	ok(t, client.BootInstance(ctx, instance.ID, 0))
	must(client.WaitForInstanceStatus(ctx, instance.ID, linodego.InstanceRunning, waitUntil))(t)
	ok(t, client.RebootInstance(ctx, instance.ID, 0))
	ok(t, client.WaitForResourceFree(ctx, linodego.EntityLinode, instance.ID, waitUntil))

	must(client.RebuildInstance(ctx, instance.ID, linodego.InstanceRebuildOptions{Image: "linode/debian11", RootPass: password}))(t)
	rebuilt := must(client.WaitForInstanceStatus(ctx, instance.ID, linodego.InstanceRunning, waitUntil))(t)
	if rebuilt.Image != "linode/debian11" {
		t.Fatalf("image after the rebuild: %s", rebuilt.Image)
	}
	ok(t, client.DeleteInstance(ctx, instance.ID))
	for {
		if _, err := client.GetInstance(ctx, instance.ID); err != nil {
			refused(t, err, http.StatusNotFound)
			return
		}
	}
}

// The client itself knows the refusal of a busy instance by its reason, and comes again.
func TestBusyIsRetriedByTheClient(t *testing.T) {
	ctx, client := connect(t, "v4")
	client.SetRetryWaitTime(10 * time.Millisecond)
	client.SetRetryMaxWaitTime(50 * time.Millisecond)
	instance := running(ctx, t, client, "go-busy")
	ok(t, client.RebootInstance(ctx, instance.ID, 0))
	ok(t, client.ShutdownInstance(ctx, instance.ID))
	must(client.WaitForInstanceStatus(ctx, instance.ID, linodego.InstanceOffline, waitUntil))(t)
}

func TestDisksConfigsAndBackups(t *testing.T) {
	ctx, client := connect(t, "v4")
	instance := must(client.CreateInstance(ctx, linodego.InstanceCreateOptions{Region: region, Type: "g6-standard-1", Label: "go-disks"}))(t)
	must(client.WaitForInstanceStatus(ctx, instance.ID, linodego.InstanceOffline, waitUntil))(t)
	disk := must(client.CreateInstanceDisk(ctx, instance.ID, linodego.InstanceDiskCreateOptions{
		Label: "root", Size: 10_000, Image: image, RootPass: password,
	}))(t)
	must(client.WaitForInstanceDiskStatus(ctx, instance.ID, disk.ID, linodego.DiskReady, waitUntil))(t)
	config := must(client.CreateInstanceConfig(ctx, instance.ID, linodego.InstanceConfigCreateOptions{
		Label: "own", Kernel: "linode/grub2",
		Devices:    linodego.InstanceConfigDeviceMap{SDA: &linodego.InstanceConfigDevice{DiskID: disk.ID}},
		Interfaces: []linodego.InstanceConfigInterfaceCreateOptions{{Purpose: "public"}, {Purpose: "vlan", Label: "go-vlan", IPAMAddress: "10.0.0.1/24"}},
	}))(t)
	if config.Devices.SDA.DiskID != disk.ID || config.Kernel != "linode/grub2" || len(config.Interfaces) != 2 {
		t.Fatalf("config: %+v", config)
	}
	_, beta := connect(t, "v4beta")
	if vlans := must(beta.ListVLANs(ctx, nil))(t); len(vlans) != 1 || vlans[0].Linodes[0] != instance.ID {
		t.Fatalf("VLANs: %+v", vlans)
	}
	ok(t, client.BootInstance(ctx, instance.ID, config.ID))
	must(client.WaitForInstanceStatus(ctx, instance.ID, linodego.InstanceRunning, waitUntil))(t)

	ok(t, client.EnableInstanceBackups(ctx, instance.ID))
	snapshot := must(client.CreateInstanceSnapshot(ctx, instance.ID, "before"))(t)
	must(client.WaitForSnapshotStatus(ctx, instance.ID, snapshot.ID, linodego.SnapshotSuccessful, waitUntil))(t)
	if backups := must(client.GetInstanceBackups(ctx, instance.ID))(t); backups.Snapshot.Current.ID != snapshot.ID {
		t.Fatalf("backups: %+v", backups)
	}
	image := must(client.CreateImage(ctx, linodego.ImageCreateOptions{DiskID: disk.ID, Label: "go-image"}))(t)
	must(client.WaitForImageStatus(ctx, image.ID, linodego.ImageStatusAvailable, waitUntil))(t)
	ok(t, client.DeleteImage(ctx, image.ID))

	if stats := must(client.GetInstanceStats(ctx, instance.ID))(t); stats.Title == "" {
		t.Fatalf("statistics: %+v", stats)
	}
	must(client.GetInstanceTransfer(ctx, instance.ID))(t)
	copied := must(client.CloneInstance(ctx, instance.ID, linodego.InstanceCloneOptions{Region: region, Type: "g6-standard-1", Label: "go-copy"}))(t)
	must(client.WaitForInstanceStatus(ctx, copied.ID, linodego.InstanceOffline, waitUntil))(t)
}

func TestListsAreFilteredAndPaged(t *testing.T) {
	ctx, client := connect(t, "v4")
	for _, label := range []string{"go-page-a", "go-page-b", "go-page-c"} {
		must(client.CreateInstance(ctx, linodego.InstanceCreateOptions{Region: "eu-central", Type: "g6-nanode-1", Label: label}))(t)
	}
	filter := linodego.Filter{OrderBy: "label", Order: linodego.Descending}
	filter.AddField(linodego.Contains, "label", "go-page")
	text := must(filter.MarshalJSON())(t)
	found := must(client.ListInstances(ctx, linodego.NewListOptions(0, string(text))))(t)
	if len(found) != 3 || found[0].Label != "go-page-c" {
		t.Fatalf("filtered: %+v", found)
	}
	for index := range 60 {
		must(client.CreateSSHKey(ctx, linodego.SSHKeyCreateOptions{Label: "go", SSHKey: "ssh-ed25519 AAAA" + string(rune('A'+index%26))}))(t)
	}
	if keys := must(client.ListSSHKeys(ctx, &linodego.ListOptions{PageSize: 25}))(t); len(keys) < 60 {
		t.Fatalf("%d keys by pages of 25", len(keys))
	}
}
