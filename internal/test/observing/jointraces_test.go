package observing

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
)

// Each hook calls the hooks of all traces, in order. It is nil if no trace has it.
func TestJoinTraces(t *testing.T) {
	var calls []string
	trace := func(name string, leaveOut int) *headway.Trace {
		trace := &headway.Trace{}
		for field, hook := range reflect.ValueOf(trace).Elem().Fields() {
			if field.Index[0] == leaveOut {
				continue
			}
			hook.Set(reflect.MakeFunc(hook.Type(), func([]reflect.Value) []reflect.Value {
				calls = append(calls, fmt.Sprint(name, " ", field.Name))
				return nil
			}))
		}
		return trace
	}
	hooks := reflect.TypeFor[headway.Trace]().NumField()
	for leaveOut := range hooks {
		joined := reflect.ValueOf(headway.JoinTraces(nil, trace("a", -1), nil, trace("b", leaveOut), trace("c", -1))).Elem()
		for field, hook := range joined.Fields() {
			calls = nil
			args := make([]reflect.Value, hook.Type().NumIn())
			for i := range args {
				args[i] = reflect.Zero(hook.Type().In(i))
			}
			hook.Call(args)
			want := []string{"a " + field.Name, "b " + field.Name, "c " + field.Name}
			if field.Index[0] == leaveOut {
				want = []string{want[0], want[2]}
			}
			require.Equal(t, want, calls)
		}
	}
	require.Zero(t, *headway.JoinTraces(&headway.Trace{}, &headway.Trace{}))
	require.Nil(t, headway.JoinTraces())
	require.Nil(t, headway.JoinTraces(nil, nil))
	only := &headway.Trace{Sent: func(context.Context, headway.SentInfo) {}}
	require.Same(t, only, headway.JoinTraces(nil, only))
}
