package clienttest

import (
	"net/http"
	"testing"
)

func TestModels(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		endpoint func(*testing.T) *endpoint
		models   []subject
	}{
		{"functions", func(t *testing.T) *endpoint { return deploy(t, nova, 0) }, []subject{nova, claude, gpt}},
		{"dev", dev, []subject{baseline}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			e := tc.endpoint(t)
			page, err := e.Models.List(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if page.Object != "list" || len(page.Data) != len(tc.models) {
				t.Fatalf("a %q of %d, want a list of %d", page.Object, len(page.Data), len(tc.models))
			}
			for i, m := range page.Data {
				if m.ID != tc.models[i].alias || m.OwnedBy != tc.models[i].provider || m.Object != "model" || m.Created == 0 {
					t.Errorf("model %d is %s", i, m.RawJSON())
				}
				one, err := e.Models.Get(t.Context(), m.ID)
				if err != nil || one.ID != m.ID || one.OwnedBy != m.OwnedBy {
					t.Errorf("Get %s: %s, %v", m.ID, one.RawJSON(), err)
				}
			}
			if first, err := e.Models.Get(t.Context(), "default"); err != nil || first.ID != tc.models[0].alias {
				t.Errorf("Get default: %s, %v", first.RawJSON(), err)
			}
			_, err = e.Models.Get(t.Context(), "gpt-9")
			failed(t, err, failure{http.StatusNotFound, "invalid_request_error", "model_not_found", "model", tc.models[0].alias})
		})
	}
}
