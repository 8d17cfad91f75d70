package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/transparency-dev/tessera"
	"github.com/transparency-dev/tessera/storage/posix"
	"golang.org/x/mod/sumdb/note"
)

// keys NAME: prints a new signing key of a log and its verifier key.
func makeKeys(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: keys NAME")
	}
	secret, public, err := note.GenerateKey(rand.Reader, args[0])
	if err != nil {
		return err
	}
	fmt.Printf("%s\n%s\n", secret, public)
	return nil
}

// tessera KEYFILE POLICYFILE FOLDER COUNT: a log of Tessera in a folder, whose checkpoints the witnesses of a policy
// cosign before they are published; appends entries and prints the checkpoint.
func runTessera(args []string) error {
	if len(args) != 4 {
		return fmt.Errorf("usage: tessera KEYFILE POLICYFILE FOLDER COUNT")
	}
	key, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	signer, err := note.NewSigner(string(key))
	if err != nil {
		return err
	}
	policy, err := os.ReadFile(args[1])
	if err != nil {
		return err
	}
	witnesses, err := tessera.NewWitnessGroupFromPolicy(policy)
	if err != nil {
		return err
	}
	count, err := strconv.Atoi(args[3])
	if err != nil {
		return err
	}
	ctx := context.Background()
	driver, err := posix.New(ctx, posix.Config{Path: args[2]})
	if err != nil {
		return err
	}
	options := tessera.NewAppendOptions().
		WithCheckpointSigner(signer).
		WithBatching(16, 100*time.Millisecond).
		WithCheckpointInterval(200*time.Millisecond).
		WithWitnesses(witnesses, &tessera.WitnessOptions{Timeout: 10 * time.Second})
	appender, shutdown, reader, err := tessera.NewAppender(ctx, driver, options)
	if err != nil {
		return err
	}
	awaiter := tessera.NewPublicationAwaiter(ctx, reader.ReadCheckpoint, 100*time.Millisecond)
	var checkpoint []byte
	for i := range count {
		added := appender.Add(ctx, tessera.NewEntry(fmt.Appendf(nil, "entry %d of %s", i, args[3])))
		if _, checkpoint, err = awaiter.Await(ctx, added); err != nil {
			return err
		}
	}
	fmt.Print(string(checkpoint))
	return shutdown(ctx)
}
