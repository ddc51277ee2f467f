package headway

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every hook calls those of all traces, in order, and is nil if none has it.
func TestJoinTraces(t *testing.T) {
	var calls []string
	trace := func(name string, leaveOut int) *Trace {
		trace := &Trace{}
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
	hooks := reflect.TypeFor[Trace]().NumField()
	for leaveOut := range hooks {
		joined := reflect.ValueOf(JoinTraces(nil, trace("a", -1), nil, trace("b", leaveOut), trace("c", -1))).Elem()
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
	require.Zero(t, *JoinTraces(&Trace{}, &Trace{}))
	require.Nil(t, JoinTraces())
	require.Nil(t, JoinTraces(nil, nil))
	only := &Trace{Sent: func(context.Context, SentInfo) {}}
	require.Same(t, only, JoinTraces(nil, only))
}
