// The watch checker: many watchers with different selectors see what writers do, while connections
// are cut, readers dawdle, and the server is killed, restarted and compacted. Each must see each
// event once and in order, or be told that it cannot, and then find the state by listing.
//
// Talks plain HTTP, so that no client library mends what it checks. With -idle N it counts what N
// watches cost instead. Asks on stdout for restarts: RESTART, RESTART-LONG-AFTER.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"
)

func main() {
	var o options
	flag.IntVar(&o.watchers, "watchers", 100, "watchers with selectors")
	flag.IntVar(&o.writes, "writes", 16000, "writes; the engine adds an event to each creation")
	flag.IntVar(&o.restarts, "restarts", 4, "kills of the server; each third compacts")
	flag.Uint64Var(&o.seed, "seed", 1, "of the random choices")
	idle := flag.Int("idle", 0, "open that many watches that wait, and measure them")
	flag.Parse()
	begin := time.Now()
	s, err := newServer()
	if err == nil && *idle > 0 {
		err = measureIdle(s, *idle)
	} else if err == nil {
		err = check(s, o)
	}
	if err != nil {
		fmt.Println("FAILED:", err)
		os.Exit(1)
	}
	fmt.Printf("%.1f s\n", time.Since(begin).Seconds())
}
