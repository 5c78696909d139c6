package server

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"ujumbe/internal/database"
	"ujumbe/internal/job"
	"ujumbe/internal/token"
)

// metrics is what /metrics shows.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.HistogramVec
	jobs     *prometheus.HistogramVec
	mails    *prometheus.CounterVec
}

func newMetrics(registry *prometheus.Registry, db *database.DB, queue *job.Queue, hasher *token.Hasher) *metrics {
	m := &metrics{
		registry: registry,
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "ujumbe_http_request_seconds", Help: "Time of requests by route and status.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10},
		}, []string{"method", "route", "status"}),
		jobs: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "ujumbe_job_seconds", Help: "Time of job runs by kind and result: done, retry or failed.",
			Buckets: []float64{.005, .025, .1, .5, 2.5, 10, 60},
		}, []string{"kind", "result"}),
		mails: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "ujumbe_mails_total", Help: "Mails handed to the mail server, by result.",
		}, []string{"result"}),
	}
	registry.MustRegister(m.requests, m.jobs, m.mails,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		gauge("ujumbe_password_hashes_queued", "Password hashes that wait or run.", func() float64 { return float64(hasher.Queued()) }),
		gauge("ujumbe_database_connections_open", "Open database connections.", func() float64 { return float64(db.Stats().Open) }),
		gauge("ujumbe_database_connections_in_use", "Database connections in use.", func() float64 { return float64(db.Stats().InUse) }),
		gauge("ujumbe_database_connections_max", "Most database connections.", func() float64 { return float64(db.Stats().Max) }),
		gauge("ujumbe_database_wait_seconds_total", "Time spent waiting for a connection.", func() float64 { return db.Stats().WaitDuration.Seconds() }),
		newQueueCollector(queue))
	return m
}

func gauge(name, help string, value func() float64) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

func (m *metrics) observeRequest(route, method string, status int, took time.Duration) {
	if !slices.Contains(knownMethods, method) {
		method = "other"
	}
	m.requests.WithLabelValues(method, route, strconv.Itoa(status)).Observe(took.Seconds())
}

// A client may invent methods, and each label costs memory for ever.
var knownMethods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPatch, http.MethodDelete, http.MethodOptions}

func (m *metrics) observeJob(kind, result string, took time.Duration) {
	m.jobs.WithLabelValues(kind, result).Observe(took.Seconds())
}

func (m *metrics) observeMail(err error) {
	result := "sent"
	if err != nil {
		result = "failed"
	}
	m.mails.WithLabelValues(result).Inc()
}

// queueCollector counts jobs when it is asked, in one query.
type queueCollector struct {
	queue *job.Queue
	desc  *prometheus.Desc
}

func newQueueCollector(queue *job.Queue) *queueCollector {
	return &queueCollector{queue, prometheus.NewDesc("ujumbe_jobs", "Jobs by state: waiting or failed.", []string{"state"}, nil)}
}

func (c *queueCollector) Describe(descs chan<- *prometheus.Desc) { descs <- c.desc }

func (c *queueCollector) Collect(all chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	waiting, failed, err := c.queue.Depth(ctx)
	if err != nil {
		return
	}
	all <- prometheus.MustNewConstMetric(c.desc, prometheus.GaugeValue, float64(waiting), "waiting")
	all <- prometheus.MustNewConstMetric(c.desc, prometheus.GaugeValue, float64(failed), "failed")
}
