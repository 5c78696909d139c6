package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"

	"ujumbe/internal/httpapi"
)

// The deadlines of connections. A slow client holds a goroutine and a small
// buffer until one of them ends it. Operations that stream extend theirs as they
// make progress.
const (
	headerTime = 10 * time.Second
	readTime   = 60 * time.Second
	writeTime  = 60 * time.Second
	idleTime   = 2 * time.Minute
	maxHeader  = 32 << 10
	// drainTime is how long requests in hand have when the server stops.
	drainTime = 25 * time.Second
	// noticeTime lets load balancers see /readyz turn red before the door closes.
	noticeTime = time.Second
)

func (s *Server) handler(api *httpapi.API) http.Handler {
	gateway, _ := s.config.Gateway() // checked by Validate
	proxies, _ := s.config.Proxies()
	h := api.Handler(httpapi.Options{
		Log: s.log, Origins: s.config.CORSOrigins, Proxies: proxies, Gateway: gateway,
		Observe: s.metrics.observeRequest, HTTPS: s.config.IsHTTPS(),
	})
	if s.config.OTLPEndpoint != "" {
		h = otelhttp.NewHandler(h, "http", otelhttp.WithSpanNameFormatter(func(_ string, r *http.Request) string {
			return r.Method + " " + r.Pattern
		}))
	}
	return h
}

// Run serves until the context ends, then drains. Ready is called with the
// addresses once they accept connections.
func (s *Server) Run(ctx context.Context, ready func(public, admin string)) error {
	stopTraces, err := startTraces(ctx, s.config.OTLPEndpoint)
	if err != nil {
		return err
	}
	defer stopTraces()
	servers := []*http.Server{s.httpServer(s.Handler())}
	addresses := []string{s.config.Listen}
	if s.admin != s.public {
		servers = append(servers, s.httpServer(s.AdminHandler()))
		addresses = append(addresses, s.config.AdminListen)
	}
	listeners, err := listen(ctx, addresses)
	if err != nil {
		return err
	}
	failed := make(chan error, len(servers))
	for i, server := range servers {
		go func() { failed <- server.Serve(listeners[i]) }()
	}
	work, stopWork := context.WithCancel(context.WithoutCancel(ctx))
	worked := make(chan struct{})
	go func() {
		defer close(worked)
		s.queue.Run(work)
	}()
	ready(listeners[0].Addr().String(), listeners[len(listeners)-1].Addr().String())

	select {
	case err = <-failed:
	case <-ctx.Done():
		stopWork() // what requests in hand still cause is for the next start
		err = s.drain(servers)
	}
	stopWork()
	<-worked
	return err
}

func (s *Server) httpServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerTime,
		ReadTimeout:       readTime,
		WriteTimeout:      writeTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
}

func listen(ctx context.Context, addresses []string) ([]net.Listener, error) {
	var all []net.Listener
	for _, address := range addresses {
		var config net.ListenConfig
		l, err := config.Listen(ctx, "tcp", address)
		if err != nil {
			for _, open := range all {
				_ = open.Close()
			}
			return nil, fmt.Errorf("UJUMBE_LISTEN or UJUMBE_ADMIN_LISTEN: listen on %s: %w", address, err)
		}
		all = append(all, l)
	}
	return all, nil
}

// drain turns /readyz red, then closes every door at once and waits for the
// requests in hand.
func (s *Server) drain(servers []*http.Server) error {
	s.ready.draining.Store(true)
	close(s.stopping)
	s.log.Info("stopping: waiting for requests in hand")
	time.Sleep(noticeTime)
	ctx, cancel := context.WithTimeout(context.Background(), drainTime-noticeTime)
	defer cancel()
	var (
		closing sync.WaitGroup
		all     = make([]error, len(servers))
	)
	for i, server := range servers {
		closing.Go(func() {
			if err := server.Shutdown(ctx); err != nil {
				all[i] = errors.Join(fmt.Errorf("some requests did not finish in time: %w", err), server.Close())
			}
		})
	}
	closing.Wait()
	return errors.Join(all...)
}

// Work runs jobs until the context ends. Run does so too; this is for those who
// serve the handler themselves.
func (s *Server) Work(ctx context.Context) { s.queue.Run(ctx) }
