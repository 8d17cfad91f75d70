package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const examples = "../../../../examples/certificates/"

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestExitCodes(t *testing.T) {
	certified, keys := examples+"certified.json", examples+"keys.json"
	text, err := os.ReadFile(certified)
	if err != nil {
		t.Fatal(err)
	}
	tampered := write(t, strings.Replace(string(text), "example-chat-1\"", "example-chat-2\"", 1))
	project, err := os.ReadFile(examples + "project.json")
	if err != nil {
		t.Fatal(err)
	}
	changed := func(change func(map[string]any)) string {
		var members map[string]any
		if err := json.Unmarshal(project, &members); err != nil {
			t.Fatal(err)
		}
		change(members)
		text, err := json.Marshal(members)
		if err != nil {
			t.Fatal(err)
		}
		return write(t, string(text))
	}
	withdrawn := changed(func(p map[string]any) {
		p["embeddedBundles"], p["withdrawn"] = map[string]any{}, []string{"classify", "compare"}
	})
	stripped := changed(func(p map[string]any) {
		for _, step := range p["embeddedBundles"].(map[string]any) {
			delete(step.(map[string]any), "meta")
		}
	})
	unregistered := changed(func(p map[string]any) { delete(p, "meta") })
	for name, c := range map[string]struct {
		args  []string
		exit  int
		first string
	}{
		"withdrawn steps":    {[]string{"verify", withdrawn, "--keys", keys}, 0, "VERIFIED: the registration only, not every step"},
		"stripped steps":     {[]string{"verify", stripped, "--keys", keys}, 0, "VERIFIED: the registration only, not every step"},
		"unregistered":       {[]string{"verify", unregistered, "--keys", keys}, 0, "VERIFIED: integrity only, the project signed by no node"},
		"certified":          {[]string{"verify", certified, "--keys", keys}, 0, "VERIFIED"},
		"flags first":        {[]string{"verify", "--keys", keys, certified}, 0, "VERIFIED"},
		"confidential":       {[]string{"verify", examples + "confidential.json", "--keys", keys}, 0, "VERIFIED_CONFIDENTIAL"},
		"byte order mark":    {[]string{"verify", write(t, "\ufeff"+string(text)), "--keys", keys}, 0, "VERIFIED"},
		"sealed":             {[]string{"verify", examples + "sealed.json"}, 0, "VERIFIED"},
		"project":            {[]string{"verify", examples + "project.json", "--keys", keys}, 0, "VERIFIED"},
		"no keys":            {[]string{"verify", certified}, 1, "FAILED (VERIFICATION_MATERIAL_UNAVAILABLE)"},
		"another node":       {[]string{"verify", certified, "--keys", keys, "--node", "x"}, 1, "FAILED (ATTESTATION_INVALID_SIGNATURE)"},
		"receipt demanded":   {[]string{"verify", examples + "sealed.json", "--require-attestation"}, 1, "FAILED (ATTESTATION_MISSING)"},
		"tampered":           {[]string{"verify", tampered, "--keys", keys}, 1, "FAILED (CERTIFICATE_HASH_MISMATCH)"},
		"duplicate member":   {[]string{"verify", write(t, `{"a":1,"a":2}`)}, 1, "FAILED (SCHEMA_ERROR)"},
		"not JSON":           {[]string{"verify", write(t, `{"a":1,}`)}, 3, ""},
		"UTF-16":             {[]string{"verify", write(t, "\xff\xfe{\x00}\x00")}, 3, ""},
		"UTF-16, unmarked":   {[]string{"verify", write(t, "{\x00}\x00")}, 3, ""},
		"gzip":               {[]string{"verify", write(t, "\x1f\x8b\x08")}, 3, ""},
		"PNG":                {[]string{"verify", write(t, "\x89PNG\r\n\x1a\n")}, 3, ""},
		"ZIP":                {[]string{"verify", write(t, "PK\x03\x04\xff")}, 3, ""},
		"xz":                 {[]string{"verify", write(t, "\xfd7zXZ\x00")}, 3, ""},
		"Zstandard":          {[]string{"verify", write(t, "\x28\xb5\x2f\xfd")}, 3, ""},
		"a directory":        {[]string{"verify", t.TempDir()}, 3, ""},
		"a missing file":     {[]string{"verify", "missing.json"}, 3, ""},
		"an unknown flag":    {[]string{"verify", certified, "--unknown"}, 3, ""},
		"keys are not keys":  {[]string{"verify", certified, "--keys", certified}, 3, ""},
		"no command":         {nil, 3, ""},
		"more than one file": {[]string{"verify", certified, certified}, 3, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			exit := run(c.args, &stdout, &stderr)
			first, _, _ := strings.Cut(stdout.String(), "\n")
			if exit != c.exit || first != c.first {
				t.Fatalf("exit %d, %q", exit, first)
			}
			if (exit == 0) != (stderr.Len() == 0) {
				t.Fatalf("standard error: %s", stderr.String())
			}
			if exit != 1 {
				return
			}
			if !strings.Contains(stdout.String(), "\n  next: ") {
				t.Errorf("no advice: %s", stdout.String())
			}
			var report map[string]any
			if err := json.Unmarshal(stderr.Bytes(), &report); err != nil {
				t.Fatal(err)
			}
			for _, member := range []string{"status", "checks", "reason"} {
				if report[member] == nil {
					t.Errorf("no %s in the report", member)
				}
			}
		})
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"-h"}, {"help"}, {"verify", "--help"}, {"verify", examples + "certified.json", "-h"}} {
		var stdout, stderr bytes.Buffer
		if code := run(args, &stdout, &stderr); code != exitVerified || stderr.Len() > 0 {
			t.Errorf("%q ends with %d and the error %q", args, code, stderr.String())
		}
		if !strings.Contains(stdout.String(), "Examples:\n  cer-verify verify ") {
			t.Errorf("%q prints no examples", args)
		}
	}
	var stdout, stderr bytes.Buffer
	if code := run([]string{"check"}, &stdout, &stderr); code != exitUsage || !strings.HasPrefix(stderr.String(), "cer-verify: unknown command, verify is expected\n") {
		t.Errorf("an unknown command ends with %d and the error %q", code, stderr.String())
	}
}

func TestReasons(t *testing.T) {
	project := `{"bundleType":"cer.project.bundle.v1","projectTitle":1,"totalSteps":0,"stepRegistry":[],"integrity":{"projectHash":"x"}}`
	for name, c := range map[string]struct{ text, reason, codes string }{
		"not strict":   {`{"a":1,"a":2}`, "BUNDLE_CORRUPTED", "SCHEMA_ERROR BUNDLE_CORRUPTED"},
		"unknown type": {`{"bundleType":"x","snapshot":{}}`, "SCHEMA_VERSION_UNSUPPORTED", "SCHEMA_ERROR SCHEMA_VERSION_UNSUPPORTED"},
		"no registry":  {`{"bundleType":"cer.project.bundle.v1","integrity":{}}`, "SCHEMA_ERROR", "SCHEMA_ERROR INVALID_SHA256_FORMAT"},
		"project":      {project, "STEP_REGISTRY_MISMATCH", "STEP_REGISTRY_MISMATCH SCHEMA_ERROR INVALID_SHA256_FORMAT"},
	} {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			run([]string{"verify", write(t, c.text), "--json"}, &stdout, &stderr)
			var report result
			if err := json.Unmarshal(stderr.Bytes(), &report); err != nil {
				t.Fatal(err)
			}
			if codes := strings.Join(report.ReasonCodes, " "); report.Reason != c.reason || codes != c.codes {
				t.Errorf("%s, %s", report.Reason, codes)
			}
		})
	}
}

func TestNamesCannotRepaintTheTerminal(t *testing.T) {
	certified, err := os.ReadFile(examples + "certified.json")
	if err != nil {
		t.Fatal(err)
	}
	// CSI in one character, DEL, and an override of the direction of text.
	name := "\u009b1A\u007f\u202eDEIFIREV"
	hostile := write(t, `{"`+name+`": 1, "`+name+`": 2, `+strings.TrimPrefix(strings.TrimSpace(string(certified)), "{"))
	for _, args := range [][]string{
		{"verify", hostile},
		{"verify", hostile, "--json"},
		{"verify", examples + "certified.json", "--keys", hostile},
	} {
		var stdout, stderr bytes.Buffer
		run(args, &stdout, &stderr)
		output := stdout.String() + stderr.String()
		if !strings.Contains(output, "DEIFIREV") {
			t.Errorf("%v: the name is missing: %s", args, output)
		}
		if strings.ContainsAny(output, "\u009b\u007f\u202e") {
			t.Errorf("%v: the terminal obeys the name: %q", args, output)
		}
		if report := cmp.Or(stderr.String(), "{}"); len(args) < 4 && !strings.Contains(report, `\u009b1A\u007f\u202eDEIFIREV`) {
			t.Errorf("%v: the report does not have the name: %s", args, report)
		}
	}
}
