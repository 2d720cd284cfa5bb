// Command gitops-health says of Kubernetes objects what GitOps tools make of them, by the tools' own code: kstatus, as
// Flux and Helm wait by it, an Argo CD health script in the Lua that Argo CD embeds, and Flux health expressions.
//
// It reads one JSON request from standard input and writes one verdict for each object, in order, to standard output.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/fluxcd/pkg/apis/kustomize"
	"github.com/fluxcd/pkg/runtime/cel"
	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kubejson "k8s.io/apimachinery/pkg/util/json"
)

type request struct {
	Lua     string                           `json:"lua"`
	Flux    kustomize.HealthCheckExpressions `json:"flux"`
	Objects []json.RawMessage                `json:"objects"`
}

type verdict struct {
	Status  string `json:"status"`
	Message string `json:"message"`
}

type verdicts struct {
	Kstatus verdict `json:"kstatus"`
	Argo    verdict `json:"argo"`
	Flux    verdict `json:"flux"`
}

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "gitops-health:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	var asked request
	if err := json.NewDecoder(in).Decode(&asked); err != nil {
		return fmt.Errorf("request: %w", err)
	}
	flux, err := cel.NewStatusEvaluator(&asked.Flux)
	if err != nil {
		return fmt.Errorf("flux expressions: %w", err)
	}
	all := make([]verdicts, 0, len(asked.Objects))
	for index, text := range asked.Objects {
		object := map[string]any{}
		// Kubernetes' own reading of JSON: whole numbers are integers.
		if err := kubejson.Unmarshal(text, &object); err != nil {
			return fmt.Errorf("object %d: %w", index, err)
		}
		one, err := judge(asked.Lua, flux, &unstructured.Unstructured{Object: object})
		if err != nil {
			return fmt.Errorf("object %d: %w", index, err)
		}
		all = append(all, one)
	}
	return json.NewEncoder(out).Encode(all)
}

func judge(script string, flux *cel.StatusEvaluator, object *unstructured.Unstructured) (verdicts, error) {
	var one verdicts
	waited, err := status.Compute(object)
	if err != nil {
		return one, fmt.Errorf("kstatus: %w", err)
	}
	one.Kstatus = verdict{waited.Status.String(), waited.Message}
	if one.Argo, err = health(script, object.Object); err != nil {
		return one, fmt.Errorf("lua: %w", err)
	}
	// An expression that meets no status yet fails, which Flux takes for progress.
	if evaluated, err := flux.Evaluate(context.Background(), object); err != nil {
		one.Flux = verdict{status.InProgressStatus.String(), err.Error()}
	} else {
		one.Flux = verdict{evaluated.Status.String(), evaluated.Message}
	}
	return one, nil
}

// health runs a script as Argo CD does: with the same libraries, and the object as the global obj.
func health(script string, object map[string]any) (verdict, error) {
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	libraries := map[string]lua.LGFunction{
		lua.LoadLibName: lua.OpenPackage, lua.BaseLibName: lua.OpenBase, lua.TabLibName: lua.OpenTable,
	}
	for name, open := range libraries {
		if err := state.CallByParam(lua.P{Fn: state.NewFunction(open), Protect: true}, lua.LString(name)); err != nil {
			return verdict{}, err
		}
	}
	state.SetGlobal("obj", luaValue(state, object))
	if err := state.DoString(script); err != nil {
		return verdict{}, err
	}
	answer, ok := state.Get(-1).(*lua.LTable)
	if !ok {
		return verdict{}, fmt.Errorf("the script returned no table")
	}
	return verdict{text(answer, "status"), text(answer, "message")}, nil
}

func text(table *lua.LTable, field string) string {
	if value, ok := table.RawGetString(field).(lua.LString); ok {
		return string(value)
	}
	return ""
}

func luaValue(state *lua.LState, value any) lua.LValue {
	switch typed := value.(type) {
	case bool:
		return lua.LBool(typed)
	case int64:
		return lua.LNumber(typed)
	case float64:
		return lua.LNumber(typed)
	case string:
		return lua.LString(typed)
	case []any:
		list := state.NewTable()
		for _, item := range typed {
			list.Append(luaValue(state, item))
		}
		return list
	case map[string]any:
		table := state.NewTable()
		for key, item := range typed {
			table.RawSetString(key, luaValue(state, item))
		}
		return table
	}
	return lua.LNil
}
