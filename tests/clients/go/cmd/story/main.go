// One story told with client-go and controller-runtime: objects are made, watched, paged, patched,
// applied, fought over and deleted, and the server is killed in between. At the end each witness (an
// informer, a cache, a watch) must have seen what was done, once and in order, and hold what a list
// holds. STORY names the namespace; asks for a RESTART on stdout.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

const storySeconds = 120

type step struct {
	name string
	run  func(*stage) error
}

func main() {
	// What clients log while the server is away is no news.
	klog.SetLogger(klog.Logger{})
	log.SetLogger(klog.Logger{})
	ctx, cancel := context.WithTimeout(context.Background(), storySeconds*time.Second)
	defer cancel()
	s, err := newStage(ctx)
	if err != nil {
		fmt.Println("FAILED:", err)
		os.Exit(1)
	}
	failed := 0
	for _, each := range steps {
		if err := each.run(s); err != nil {
			fmt.Printf("FAILED: %s: %v\n", each.name, err)
			failed++
		}
	}
	for _, each := range s.witnesses {
		if err := each.agrees(s); err != nil {
			fmt.Printf("FAILED: %s: %v\n", each.name, err)
			failed++
		}
	}
	fmt.Printf("%d steps, %d acknowledged writes, %d witnesses, %d failures\n", len(steps),
		len(s.acks), len(s.witnesses), failed)
	if failed > 0 {
		os.Exit(1)
	}
}
