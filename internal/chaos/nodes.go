package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"sync"
	"time"

	"ujumbe/internal/server/process"
)

const (
	nodeCount   = 2
	tenantCount = 6
	// recovery is how soon after a fault requests must succeed again: 5 s are
	// promised, the rest is for a busy machine and for health checks.
	recovery = 15 * time.Second
)

// site is everything that the drill of two nodes runs.
type site struct {
	ledger  ledger
	dir     string
	cluster *process.Cluster
	cable   *cable
	mail    *process.MailServer
	nodes   []*process.Process
	proxy   *process.Process // the nodes by the proxy's address
	tenants []*tenant
	closers []func()
}

// nodesDrill works with two nodes on one PostgreSQL behind a load balancer while
// nodes are killed, PostgreSQL is restarted and cut off, and the mail server
// falls silent.
func nodesDrill(ctx context.Context, o options) error {
	s := &site{}
	defer s.close()
	if err := s.open(ctx, o); err != nil {
		return err
	}
	working, stop := context.WithCancel(ctx)
	var workers sync.WaitGroup
	for _, t := range s.tenants {
		workers.Go(func() { t.work(working) })
	}
	workers.Go(func() { s.register(working) })
	err := s.faults(ctx, o.time)
	stop()
	workers.Wait()
	if err != nil {
		return err
	}
	if err := s.verify(ctx); err != nil {
		return err
	}
	return s.ledger.report(s.nodes...)
}

func (s *site) open(ctx context.Context, o options) error {
	var err error
	if s.dir, err = os.MkdirTemp("", "ujumbe-chaos-"); err != nil {
		return fmt.Errorf("folder for data: %w", err)
	}
	s.onClose(func() { _ = os.RemoveAll(s.dir) })
	if s.cluster, err = process.StartCluster(o.root); err != nil {
		return err
	}
	s.onClose(s.cluster.Close)
	address, err := url.Parse(s.cluster.URL)
	if err != nil {
		return fmt.Errorf("address of PostgreSQL: %w", err)
	}
	if s.cable, err = newCable(address.Host); err != nil {
		return err
	}
	s.onClose(s.cable.close)
	address.Host = s.cable.address()
	if s.mail, err = process.StartMailServer(); err != nil {
		return err
	}
	s.onClose(s.mail.Close)
	for i := range nodeCount {
		node, err := process.New(o.bin, fmt.Sprintf("%s/node%d", s.dir, i),
			"UJUMBE_DATABASE_URL="+address.String(), "UJUMBE_SMTP_URL="+s.mail.URL(), "UJUMBE_RATE_LIMITS=off")
		if err != nil {
			return err
		}
		node.Mail = s.mail
		s.nodes = append(s.nodes, node)
		if err := s.startNode(ctx, node); err != nil {
			return err
		}
		s.onClose(node.Kill)
	}
	proxy, name, stop, err := startProxy(s.dir, s.nodes)
	if err != nil {
		return err
	}
	s.onClose(stop)
	s.proxy = s.nodes[0].At(proxy)
	fmt.Printf("behind        %s\n", name)
	if err := s.awaitProxy(ctx); err != nil {
		return err
	}
	for i := range tenantCount {
		t, err := newTenant(ctx, s.proxy, &s.ledger, i)
		if err != nil {
			return err
		}
		s.tenants = append(s.tenants, t)
	}
	return nil
}

func (s *site) onClose(f func()) { s.closers = append(s.closers, f) }

func (s *site) close() {
	for i := len(s.closers) - 1; i >= 0; i-- {
		s.closers[i]()
	}
}

func (s *site) startNode(ctx context.Context, node *process.Process) error {
	if err := node.Launch(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return node.AwaitReady(ctx)
}

// awaitProxy waits until the load balancer has seen that the nodes are well.
func (s *site) awaitProxy(ctx context.Context) error {
	for deadline := time.Now().Add(20 * time.Second); ; {
		if s.proxy.Call(ctx, http.MethodGet, "/readyz", "", nil).Status == http.StatusOK {
			return nil
		}
		if !sleep(ctx, 50*time.Millisecond) || time.Now().After(deadline) {
			return fmt.Errorf("no node behind the proxy is ready")
		}
	}
}

// register signs new customers up; each must get a mail in the end.
func (s *site) register(ctx context.Context) {
	for n := 0; ctx.Err() == nil; n++ {
		email := fmt.Sprintf("newcomer%d@example.com", n)
		call, cancel := context.WithTimeout(context.Background(), 2*slowest)
		began := time.Now()
		a := s.proxy.Call(call, http.MethodPost, "/api/v1/auth/register", "", process.Registration(email))
		cancel()
		if s.ledger.hear("registration", a, time.Since(began), http.StatusCreated) == acknowledged {
			s.ledger.mu.Lock()
			s.ledger.registered = append(s.ledger.registered, email)
			s.ledger.mu.Unlock()
		}
		sleep(ctx, 50*time.Millisecond)
	}
}

// fault breaks something and mends it.
type fault struct {
	name string
	run  func(ctx context.Context) error
}

// faults goes through all faults again and again, and measures how soon work
// goes on after each.
func (s *site) faults(ctx context.Context, during time.Duration) error {
	all := []fault{
		{"kill -9 of a node", s.killNode},
		{"PostgreSQL restarted", func(ctx context.Context) error { return s.restartPostgres(ctx, "fast") }},
		{"PostgreSQL crashed", func(ctx context.Context) error { return s.restartPostgres(ctx, "immediate") }},
		{"PostgreSQL cut off", s.cutPostgres},
		{"mail server silent", s.silenceMail},
		{"both nodes killed", func(ctx context.Context) error {
			for _, node := range s.nodes {
				node.Kill()
			}
			for _, node := range s.nodes {
				if err := s.startNode(ctx, node); err != nil {
					return err
				}
			}
			return nil
		}},
	}
	began := time.Now()
	for round := 0; time.Since(began) < during || round == 0; round++ {
		for _, i := range rand.Perm(len(all)) {
			if !sleep(ctx, 2*time.Second) {
				return ctx.Err()
			}
			if err := all[i].run(ctx); err != nil {
				return fmt.Errorf("%s: %w", all[i].name, err)
			}
			took, err := s.workGoesOn(ctx)
			if err != nil {
				return fmt.Errorf("after %s: %w", all[i].name, err)
			}
			fmt.Printf("fault         %s: work goes on %s after it ended\n", all[i].name, took.Round(time.Millisecond))
		}
	}
	return nil
}

// workGoesOn waits until requests succeed as before.
func (s *site) workGoesOn(ctx context.Context) (time.Duration, error) {
	began, before := time.Now(), s.ledger.successes()
	for s.ledger.successes() < before+30 {
		if !sleep(ctx, 10*time.Millisecond) {
			return 0, ctx.Err()
		}
		if time.Since(began) > recovery {
			return 0, fmt.Errorf("no work for %s", recovery)
		}
	}
	return time.Since(began), nil
}

func (s *site) killNode(ctx context.Context) error {
	node := s.nodes[rand.IntN(len(s.nodes))]
	node.Kill()
	sleep(ctx, time.Second)
	return s.startNode(ctx, node)
}

func (s *site) restartPostgres(ctx context.Context, mode string) error {
	if err := s.cluster.Stop(mode); err != nil {
		return err
	}
	sleep(ctx, time.Second)
	return s.cluster.Start()
}

func (s *site) cutPostgres(ctx context.Context) error {
	s.cable.cut()
	defer s.cable.splice()
	sleep(ctx, 5*time.Second)
	return nil
}

func (s *site) silenceMail(ctx context.Context) error {
	s.mail.Silence(true)
	defer s.mail.Silence(false)
	sleep(ctx, 4*time.Second)
	return nil
}
