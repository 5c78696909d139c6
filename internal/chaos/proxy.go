package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ujumbe/internal/server/process"
)

const haproxyConfig = `
defaults
  mode http
  maxconn 4096
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  option redispatch
  retries 2
frontend public
  bind %s
  default_backend nodes
backend nodes
  option httpchk GET /readyz
  http-check expect status 200
  default-server check inter 200ms fall 1 rise 1
`

// startProxy puts a load balancer before the nodes: HAProxy, or a plain one of
// our own where it is not installed. It returns its address and name.
func startProxy(dir string, nodes []*process.Process) (address, name string, stop func(), err error) {
	program, err := exec.LookPath("haproxy")
	if err != nil {
		address, stop, err = startPlainProxy(nodes)
		return address, "a plain proxy, because HAProxy is not installed", stop, err
	}
	bind, err := process.FreeAddress()
	if err != nil {
		return "", "", nil, err
	}
	var config bytes.Buffer
	fmt.Fprintf(&config, haproxyConfig, bind)
	for i, node := range nodes {
		fmt.Fprintf(&config, "  server node%d %s\n", i, strings.TrimPrefix(node.URL, "http://"))
	}
	file := filepath.Join(dir, "haproxy.cfg")
	if err := os.WriteFile(file, config.Bytes(), 0o600); err != nil {
		return "", "", nil, fmt.Errorf("configure HAProxy: %w", err)
	}
	var said bytes.Buffer
	command := exec.Command(program, "-db", "-f", file)
	command.Stdout, command.Stderr = &said, &said
	if err := command.Start(); err != nil {
		return "", "", nil, fmt.Errorf("start HAProxy: %w", err)
	}
	stop = func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		conn, err := net.Dial("tcp", bind)
		if err == nil {
			conn.Close()
			return "http://" + bind, "HAProxy", stop, nil
		}
		if time.Now().After(deadline) {
			stop()
			return "", "", nil, fmt.Errorf("HAProxy does not listen: %s", said.String())
		}
	}
}

// startPlainProxy takes the nodes in turn and passes over one that is down.
func startPlainProxy(nodes []*process.Process) (string, func(), error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("start a proxy: %w", err)
	}
	var turn atomic.Int64
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			at := int(turn.Add(1))
			for i := range nodes {
				node := nodes[(at+i)%len(nodes)]
				conn, err := net.DialTimeout("tcp", strings.TrimPrefix(node.URL, "http://"), time.Second)
				if err != nil {
					continue
				}
				conn.Close()
				if target, err := url.Parse(node.URL); err == nil {
					r.SetURL(target)
					return
				}
			}
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	server := &http.Server{Handler: proxy, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }()
	return "http://" + listener.Addr().String(), func() { _ = server.Close() }, nil
}

// cable is the line between the nodes and PostgreSQL. Cut, it carries nothing in
// either direction and tells nobody: the worst way for a network to fail.
type cable struct {
	listener net.Listener
	target   string

	mu   sync.Mutex
	mend chan struct{} // open while the cable is cut; nil when it is whole
}

func newCable(target string) (*cable, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("lay a cable: %w", err)
	}
	c := &cable{listener: listener, target: target}
	go c.serve()
	return c, nil
}

func (c *cable) address() string { return c.listener.Addr().String() }

func (c *cable) close() {
	c.splice()
	_ = c.listener.Close()
}

func (c *cable) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mend == nil {
		c.mend = make(chan struct{})
	}
}

func (c *cable) splice() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mend != nil {
		close(c.mend)
		c.mend = nil
	}
}

// wait returns when the cable is whole.
func (c *cable) wait() {
	c.mu.Lock()
	mend := c.mend
	c.mu.Unlock()
	if mend != nil {
		<-mend
	}
}

func (c *cable) serve() {
	for {
		from, err := c.listener.Accept()
		if err != nil {
			return
		}
		go func() {
			defer from.Close()
			c.wait()
			var dialer net.Dialer
			to, err := dialer.DialContext(context.Background(), "tcp", c.target)
			if err != nil {
				return
			}
			defer to.Close()
			go func() {
				c.carry(to, from)
				to.Close()
				from.Close()
			}()
			c.carry(from, to)
		}()
	}
}

func (c *cable) carry(to io.Writer, from io.Reader) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		c.wait()
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
