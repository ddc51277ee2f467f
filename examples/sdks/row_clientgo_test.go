package sdks_test

import (
	"context"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/examples/sdks/clientgo"
)

func clientgoRows() []row {
	const host = "https://cluster.example"
	r := row{sdk: "client-go v0.37", answer: `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"settings"}}`}
	bare, recipe := r, r
	bare.use, bare.client = asItIs, func(transport http.RoundTripper) func(context.Context) error {
		return gettingConfigMap(corev1.NewForConfig(&rest.Config{Host: host, Transport: transport}))
	}
	recipe.use, recipe.client = "`Config`", func(transport http.RoundTripper) func(context.Context) error {
		wrap := func(http.RoundTripper) http.RoundTripper { return transport }
		return gettingConfigMap(corev1.NewForConfig(clientgo.Config(&rest.Config{Host: host}, wrap)))
	}
	recipe.set = func(transport *headway.Transport) { transport.Partition = clientgo.ByUser }
	return []row{bare, recipe}
}

func gettingConfigMap(client *corev1.CoreV1Client, err error) func(context.Context) error {
	return func(ctx context.Context) error {
		if err != nil {
			return err
		}
		_, err := client.ConfigMaps("default").Get(ctx, "settings", metav1.GetOptions{})
		return err
	}
}
