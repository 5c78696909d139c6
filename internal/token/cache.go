package token

import (
	"crypto/sha256"
	"sync"

	"ujumbe/internal/clock"
)

// cache remembers tokens that were verified, until they expire. Its keys are
// hashes, so it holds no token.
type cache struct {
	shards [16]shard
}

type shard struct {
	mu     sync.RWMutex
	claims map[[sha256.Size]byte]Claims
}

// shardSize bounds the cache to 32,768 tokens, some 10 MiB.
const shardSize = 2048

func newCache() *cache {
	c := &cache{}
	for i := range c.shards {
		c.shards[i].claims = map[[sha256.Size]byte]Claims{}
	}
	return c
}

func (c *cache) get(raw string, now clock.Time) (Claims, bool) {
	key := sha256.Sum256([]byte(raw))
	s := &c.shards[key[0]%16]
	s.mu.RLock()
	defer s.mu.RUnlock()
	claims, ok := s.claims[key]
	return claims, ok && now < claims.Expires
}

func (c *cache) put(raw string, claims Claims, now clock.Time) {
	key := sha256.Sum256([]byte(raw))
	s := &c.shards[key[0]%16]
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.claims) >= shardSize {
		for k, old := range s.claims {
			if old.Expires <= now {
				delete(s.claims, k)
			}
		}
	}
	if len(s.claims) >= shardSize {
		clear(s.claims)
	}
	s.claims[key] = claims
}
