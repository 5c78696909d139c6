package server_test

import (
	"os"
	"testing"

	"ujumbe/internal/server/processtest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	processtest.RemoveBinary()
	os.Exit(code)
}
