package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/transparency-dev/tessera"
	"github.com/transparency-dev/tessera/client"
	"github.com/transparency-dev/tessera/storage/posix"
	"golang.org/x/mod/sumdb/note"
)

const (
	entryBytes = 33
	inFlight   = 1024
	proofs     = 50
)

// load FOLDER COUNT: appends entries to a new log of Tessera in a folder, many at once and with its usual batches.
// Prints how many are integrated per second, and the median time of a proof that is read from its files.
func runLoad(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("usage: load FOLDER COUNT")
	}
	count, err := strconv.ParseUint(args[1], 10, 53)
	if err != nil {
		return err
	}
	secret, _, err := note.GenerateKey(rand.Reader, "tessera.example/log")
	if err != nil {
		return err
	}
	signer, err := note.NewSigner(secret)
	if err != nil {
		return err
	}
	ctx := context.Background()
	driver, err := posix.New(ctx, posix.Config{Path: args[0]})
	if err != nil {
		return err
	}
	appender, shutdown, reader, err := tessera.NewAppender(ctx, driver, tessera.NewAppendOptions().WithCheckpointSigner(signer))
	if err != nil {
		return err
	}
	began := time.Now()
	if err := appendAll(ctx, appender, count); err != nil {
		return err
	}
	for size := uint64(0); size < count; time.Sleep(5 * time.Millisecond) {
		if size, err = reader.IntegratedSize(ctx); err != nil {
			return err
		}
	}
	seconds := time.Since(began).Seconds()
	proofMs, err := medianProof(ctx, client.FileFetcher{Root: args[0]}.ReadTile, count)
	if err != nil {
		return err
	}
	if err := shutdown(ctx); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]float64{"rate": float64(count) / seconds, "proofMs": proofMs})
}

func appendAll(ctx context.Context, appender *tessera.Appender, count uint64) error {
	work, failed := make(chan struct{}), make(chan error, inFlight)
	var workers sync.WaitGroup
	for range inFlight {
		workers.Go(func() {
			for range work {
				entry := make([]byte, entryBytes)
				if _, err := rand.Read(entry); err != nil {
					failed <- err
					return
				}
				if _, err := appender.Add(ctx, tessera.NewEntry(entry))(); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	for range count {
		select {
		case work <- struct{}{}:
		case err := <-failed:
			return err
		}
	}
	close(work)
	workers.Wait()
	close(failed)
	return <-failed
}

func medianProof(ctx context.Context, read client.TileFetcherFunc, size uint64) (float64, error) {
	times := []float64{}
	for i := range uint64(proofs) {
		began := time.Now()
		// A builder keeps tiles: each proof has its own.
		builder, err := client.NewProofBuilder(ctx, size, read)
		if err != nil {
			return 0, err
		}
		if _, err := builder.InclusionProof(ctx, i*size/proofs); err != nil {
			return 0, err
		}
		times = append(times, float64(time.Since(began).Microseconds())/1000)
	}
	slices.Sort(times)
	return times[len(times)/2], nil
}
