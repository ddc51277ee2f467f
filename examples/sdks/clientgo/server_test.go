package clientgo_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typed "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"

	"github.com/headway-go/headway/examples/sdks/clientgo"
	"github.com/headway-go/headway/examples/sdks/internal/sdktest"
)

const (
	host      = "https://cluster.example"
	configMap = `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"settings","namespace":"default"}}`
	noBudget  = `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"Cannot evict pod as it would violate the pod's disruption budget.",` +
		`"reason":"TooManyRequests","details":{"causes":[{"reason":"DisruptionBudget"}]},"code":429}`
)

// tooMany refuses like the server's priority and fairness.
func tooMany(seconds string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", seconds)
		w.Header().Set("X-Kubernetes-PF-FlowSchema-UID", "b8d3a2c4-0f0e-4c0e-9d5e-1c3f8f0f5a11")
		w.Header().Set("X-Kubernetes-PF-PriorityLevel-UID", "5f5c3c1e-7a3c-4c53-8f4f-2b8f4a3a9c10")
		http.Error(w, "Too many requests, please try again later.", http.StatusTooManyRequests)
	})
}

// counted returns a client by the recipe, with wrap in place of the recipe's Transport. The counter counts
// client-go's calls of wrap's transport.
func counted(t *testing.T, config *rest.Config, wrap transport.WrapperFunc) (*typed.CoreV1Client, *sdktest.Counter) {
	t.Helper()
	calls := new(sdktest.Counter)
	return client(t, clientgo.Config(config, func(base http.RoundTripper) http.RoundTripper {
		calls.Base = wrap(base)
		return calls
	})), calls
}

func client(t *testing.T, config *rest.Config) *typed.CoreV1Client {
	t.Helper()
	made, err := typed.NewForConfig(config)
	require.NoError(t, err)
	return made
}

func get(ctx context.Context, client *typed.CoreV1Client) error {
	_, err := client.ConfigMaps("default").Get(ctx, "settings", metav1.GetOptions{})
	return err
}

func create(ctx context.Context, client *typed.CoreV1Client) error {
	_, err := client.ConfigMaps("default").Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "settings"}}, metav1.CreateOptions{})
	return err
}

func evict(ctx context.Context, client *typed.CoreV1Client) error {
	return client.Pods("default").EvictV1(ctx, &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: "pod", Namespace: "default"}})
}
