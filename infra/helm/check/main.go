// Command check reads Kubernetes manifests from standard input and decodes each strictly into the type of its kind: an
// unknown or misspelled field, a wrong type or an unknown kind is an error. Selectors must match the labels of their pods,
// no Ingress forwards what is for operators and other services, and the renderer opens no connection.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

func newObject(apiVersion, kind string) any {
	switch apiVersion + "/" + kind {
	case "apps/v1/Deployment":
		return &appsv1.Deployment{}
	case "autoscaling/v2/HorizontalPodAutoscaler":
		return &autoscalingv2.HorizontalPodAutoscaler{}
	case "batch/v1/Job":
		return &batchv1.Job{}
	case "networking.k8s.io/v1/Ingress":
		return &networkingv1.Ingress{}
	case "networking.k8s.io/v1/NetworkPolicy":
		return &networkingv1.NetworkPolicy{}
	case "policy/v1/PodDisruptionBudget":
		return &policyv1.PodDisruptionBudget{}
	case "v1/ConfigMap":
		return &corev1.ConfigMap{}
	case "v1/Pod":
		return &corev1.Pod{}
	case "v1/Service":
		return &corev1.Service{}
	}
	return nil
}

func main() {
	objects, faults := 0, 0
	fail := func(format string, values ...any) {
		fmt.Fprintf(os.Stderr, format+"\n", values...)
		faults++
	}
	reader := utilyaml.NewYAMLReader(bufio.NewReader(os.Stdin))
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			fail("not YAML: %v", err)
			break
		}
		var head metav1.PartialObjectMetadata
		if err := yaml.Unmarshal(document, &head); err != nil {
			fail("no metadata: %v", err)
			continue
		}
		if head.Kind == "" {
			continue
		}
		objects++
		name := fmt.Sprintf("%s %s", head.Kind, head.Name)
		object := newObject(head.APIVersion, head.Kind)
		if object == nil {
			fail("%s: unknown kind of %s", name, head.APIVersion)
			continue
		}
		if err := yaml.UnmarshalStrict(document, object); err != nil {
			fail("%s: %v", name, err)
			continue
		}
		checkPods(name, object, fail)
		if ingress, is := object.(*networkingv1.Ingress); is {
			checkIngress(name, ingress, fail)
		}
		if policy, is := object.(*networkingv1.NetworkPolicy); is {
			checkNetworkPolicy(name, policy, fail)
		}
	}
	fmt.Printf("%d objects, %d faults\n", objects, faults)
	if objects == 0 || faults > 0 {
		os.Exit(1)
	}
}

// checkPods holds what the API server or a restricted namespace would refuse later.
func checkPods(name string, object any, fail func(string, ...any)) {
	var pod corev1.PodSpec
	switch workload := object.(type) {
	case *appsv1.Deployment:
		pod = workload.Spec.Template.Spec
		selector, err := metav1.LabelSelectorAsSelector(workload.Spec.Selector)
		if err != nil || !selector.Matches(labels.Set(workload.Spec.Template.Labels)) {
			fail("%s: the selector does not match the labels of the pods", name)
		}
	case *batchv1.Job:
		pod = workload.Spec.Template.Spec
	case *corev1.Pod:
		pod = workload.Spec
	default:
		return
	}
	if pod.SecurityContext == nil || pod.SecurityContext.RunAsNonRoot == nil || !*pod.SecurityContext.RunAsNonRoot {
		fail("%s: must run as non-root", name)
	}
	volumes := map[string]bool{}
	for _, volume := range pod.Volumes {
		volumes[volume.Name] = true
	}
	for _, container := range pod.Containers {
		security := container.SecurityContext
		if security == nil || security.ReadOnlyRootFilesystem == nil || !*security.ReadOnlyRootFilesystem {
			fail("%s: container %s must have a read-only root", name, container.Name)
		}
		for _, mount := range container.VolumeMounts {
			if !volumes[mount.Name] {
				fail("%s: container %s mounts %s, which is not a volume", name, container.Name, mount.Name)
			}
		}
	}
}

// checkNetworkPolicy holds that the renderer, which runs code of strangers, opens no connection.
func checkNetworkPolicy(name string, policy *networkingv1.NetworkPolicy, fail func(string, ...any)) {
	if policy.Labels["app.kubernetes.io/component"] != "renderer" {
		return
	}
	isLimited := false
	for _, kind := range policy.Spec.PolicyTypes {
		isLimited = isLimited || kind == networkingv1.PolicyTypeEgress
	}
	if !isLimited || len(policy.Spec.Egress) > 0 {
		fail("%s: the renderer may open connections", name)
	}
}

// closedPaths are answered on the services' own ports only.
var closedPaths = []string{"/metrics", "/internal", "/internal/v1/keys/introspect"}

func checkIngress(name string, ingress *networkingv1.Ingress, fail func(string, ...any)) {
	if ingress.Spec.DefaultBackend != nil {
		fail("%s: a default backend gets every path", name)
	}
	for _, rule := range ingress.Spec.Rules {
		if rule.HTTP == nil || len(rule.HTTP.Paths) == 0 {
			fail("%s: %s has no path", name, rule.Host)
			continue
		}
		for _, path := range rule.HTTP.Paths {
			for _, closed := range closedPaths {
				if forwards(path, closed) {
					fail("%s: %s%s forwards %s", name, rule.Host, path.Path, closed)
				}
			}
		}
	}
}

// forwards compares as Kubernetes defines it; what an ingress controller defines itself may forward anything.
func forwards(path networkingv1.HTTPIngressPath, asked string) bool {
	if path.PathType == nil {
		return true
	}
	switch *path.PathType {
	case networkingv1.PathTypeExact:
		return asked == path.Path
	case networkingv1.PathTypePrefix:
		return asked == path.Path || strings.HasPrefix(asked, strings.TrimSuffix(path.Path, "/")+"/")
	}
	return true
}
