// Package clients uses a simulator as programs in Go use the service: through its public client, unchanged.
//
// SIMULATOR_URL and SIMULATOR_TOKEN name a simulator that speaks the service's brand word and whose jobs are fast.
package clients

import (
	"context"
	"errors"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/linode/linodego"
)

const (
	region    = "us-east"
	image     = "linode/debian12"
	password  = "Correct-horse-7"
	waitUntil = 30
)

// connect answers a client of the named version segment, and a context that ends with the test.
func connect(t *testing.T, version string) (context.Context, linodego.Client) {
	t.Helper()
	address := os.Getenv("SIMULATOR_URL")
	if address == "" {
		t.Fatal("SIMULATOR_URL is not set")
	}
	client := linodego.NewClient(nil)
	if _, err := client.UseURL(address + "/" + version); err != nil {
		t.Fatal(err)
	}
	client.SetToken(os.Getenv("SIMULATOR_TOKEN"))
	client.SetPollDelay(20 * time.Millisecond)
	ctx, cancel := context.WithTimeout(t.Context(), waitUntil*time.Second)
	t.Cleanup(cancel)
	return ctx, client
}

// must ends the test on an error, and answers the value otherwise.
func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// refused expects an error answer of this status.
func refused(t *testing.T, err error, status int) {
	t.Helper()
	var answer *linodego.Error
	if !errors.As(err, &answer) || answer.Code != status {
		t.Fatalf("wanted an answer of status %d, got %v", status, err)
	}
}

// running makes an instance of an image and waits until it runs.
func running(ctx context.Context, t *testing.T, client linodego.Client, label string) *linodego.Instance {
	t.Helper()
	instance := must(client.CreateInstance(ctx, linodego.InstanceCreateOptions{
		Region: region, Type: "g6-standard-1", Image: image, RootPass: password, Label: label, Tags: []string{"go-client"},
	}))(t)
	return must(client.WaitForInstanceStatus(ctx, instance.ID, linodego.InstanceRunning, waitUntil))(t)
}

func TestCatalogsAreReadByBothRoots(t *testing.T) {
	for _, version := range []string{"v4", "v4beta"} {
		ctx, client := connect(t, version)
		regions := must(client.ListRegions(ctx, nil))(t)
		if len(regions) == 0 || !contains(regions[0].Capabilities, "Linodes") || regions[0].Resolvers.IPv4 == "" {
			t.Fatalf("regions: %+v", regions)
		}
		plan := must(client.GetType(ctx, "g6-standard-1"))(t)
		if plan.Memory != 2048 || plan.Price.Monthly != 12 || plan.Addons.Backups.Price.Monthly == 0 {
			t.Fatalf("type: %+v", plan)
		}
		kernel := must(client.GetKernel(ctx, "linode/latest-64bit"))(t)
		if kernel.ID != "linode/latest-64bit" || kernel.Built == nil {
			t.Fatalf("kernel: %+v", kernel)
		}
		if found := must(client.GetImage(ctx, image))(t); found.ID != image || found.Created == nil {
			t.Fatalf("image: %+v", found)
		}
	}
}

func contains(list []string, wanted string) bool {
	for _, item := range list {
		if item == wanted {
			return true
		}
	}
	return false
}

func TestWhatIsNotServedIsACleanNotFound(t *testing.T) {
	ctx, client := connect(t, "v4")
	_, err := client.ListVolumes(ctx, nil)
	refused(t, err, http.StatusNotFound)
	_, err = client.ListVPCs(ctx, nil)
	refused(t, err, http.StatusNotFound)
	_, err = client.GetInstance(ctx, 999_999)
	refused(t, err, http.StatusNotFound)
	client.SetToken("wrong")
	_, err = client.GetProfile(ctx)
	refused(t, err, http.StatusUnauthorized)
}
