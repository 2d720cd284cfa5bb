// Command gitops-engine applies Kubernetes objects as Argo CD does, by the engine that Argo CD is built on, and says what
// came of them: the results of the sync, and whether a live object differs from what was wanted.
//
// It reads JSON requests from standard input, one a line, and answers each with one line on standard output. Several may
// be under way at the same time.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	gosync "sync"
	"time"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/cache"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/diff"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/engine"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/sync"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/utils/kube"
	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/clientcmd"
)

// The annotation by which Argo CD knows what it tracks.
const tracking = "argocd.argoproj.io/tracking-id"

const longestSync = 2 * time.Minute

// request is for an application that owns a namespace.
type request struct {
	ID        int    `json:"id"`
	Namespace string `json:"namespace"`
	// Objects as they are in Git; what else the application has made in the namespace is pruned.
	Objects []*unstructured.Unstructured `json:"objects"`
	// Sync is false to compare only.
	Sync bool `json:"sync"`
}

type answer struct {
	ID      int      `json:"id"`
	Error   string   `json:"error,omitempty"`
	Results []result `json:"results"`
	Objects []object `json:"objects"`
}

// result of a sync.
type result struct {
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Status  string `json:"status"`
	Message string `json:"message"`
}

// object as Argo CD shows it.
type object struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	// OutOfSync is true for what differs from Git.
	OutOfSync bool `json:"outOfSync"`
}

type agent struct {
	cache  cache.ClusterCache
	engine engine.GitOpsEngine
}

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "gitops-engine:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	one, err := newAgent()
	if err != nil {
		return err
	}
	var writing gosync.Mutex
	encoder := json.NewEncoder(out)
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		var asked request
		if err := json.Unmarshal(line, &asked); err != nil {
			return fmt.Errorf("request: %w", err)
		}
		go func() {
			said := one.handle(asked)
			writing.Lock()
			defer writing.Unlock()
			_ = encoder.Encode(said)
		}()
	}
}

type info struct{ trackingID string }

func newAgent() (*agent, error) {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = 500, 1000
	log := logr.Discard()
	clusterCache := cache.NewClusterCache(config,
		cache.SetLogr(log),
		cache.SetPopulateResourceInfoHandler(func(un *unstructured.Unstructured, _ bool) (any, bool) {
			id := un.GetAnnotations()[tracking]
			return &info{id}, id != ""
		}),
	)
	one := &agent{clusterCache, engine.NewEngine(config, clusterCache, engine.WithLogr(log))}
	_, err = one.engine.Run()
	return one, err
}

func (a *agent) handle(asked request) answer {
	said := answer{ID: asked.ID, Results: []result{}, Objects: []object{}}
	mark(asked)
	managed := func(r *cache.Resource) bool {
		found, ok := r.Info.(*info)
		return ok && found.trackingID == trackingID(asked.Namespace, r.ResourceKey())
	}
	if asked.Sync {
		ctx, cancel := context.WithTimeout(context.Background(), longestSync)
		defer cancel()
		results, err := a.engine.Sync(ctx, asked.Objects, managed, "main", asked.Namespace,
			sync.WithPrune(true), sync.WithLogr(logr.Discard()))
		if err != nil {
			said.Error = err.Error()
		}
		for _, one := range results {
			said.Results = append(said.Results,
				result{one.ResourceKey.Kind, one.ResourceKey.Name, string(one.Status), one.Message})
		}
	}
	if err := a.compare(asked, managed, &said); err != nil {
		said.Error = err.Error()
	}
	return said
}

func mark(asked request) {
	for _, one := range asked.Objects {
		one.SetNamespace(asked.Namespace)
		annotations := one.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[tracking] = trackingID(asked.Namespace, kube.GetResourceKey(one))
		one.SetAnnotations(annotations)
	}
}

func trackingID(application string, key kube.ResourceKey) string {
	return fmt.Sprintf("%s:%s/%s:%s/%s", application, key.Group, key.Kind, key.Namespace, key.Name)
}

func (a *agent) compare(asked request, managed func(*cache.Resource) bool, said *answer) error {
	live, err := a.cache.GetManagedLiveObjs(asked.Objects, managed)
	if err != nil {
		return err
	}
	found := sync.Reconcile(asked.Objects, live, asked.Namespace, a.cache)
	differences, err := diff.DiffArray(found.Target, found.Live, diff.WithLogr(logr.Discard()))
	if err != nil {
		return err
	}
	for index, target := range found.Target {
		shown := found.Live[index]
		if shown == nil {
			shown = target
		}
		differs := target == nil || found.Live[index] == nil || differences.Diffs[index].Modified
		said.Objects = append(said.Objects, object{shown.GetKind(), shown.GetName(), differs})
	}
	return nil
}
