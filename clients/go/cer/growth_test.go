package cer

import (
	"strconv"
	"testing"
)

// TestGrowth compares the allocations for a project with those for one four times as large: quadratic work has 16 times
// as many.
func TestGrowth(t *testing.T) {
	small, large := allocationsOf(t, 50), allocationsOf(t, 200)
	if large > 6*small {
		t.Errorf("%.0f allocations for 50 entries, %.0f for 200", small, large)
	}
}

// allocationsOf counts those for a registry whose entries all name one bundle, which is as large as all of them.
func allocationsOf(t *testing.T, size int) float64 {
	project := readValue(t, "../../../examples/certificates/project.json")
	registry := project.Get("stepRegistry")
	step := registry.Items[0].Get("stepId").text()
	parameters := project.Path("embeddedBundles", step, "snapshot", "parameters")
	entries := make([]*Value, size)
	for i := range entries {
		entries[i] = registry.Items[0]
		parameters.set(strconv.Itoa(i), textValue("x"))
	}
	registry.Items = entries
	return testing.AllocsPerRun(1, func() { VerifyProject(project, Options{}) })
}
