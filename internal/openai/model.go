package openai

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// defaultModel is the name that always means the first model.
const defaultModel = "default"

// A ModelList is the answer to GET /models.
type ModelList struct {
	Object string  `json:"object"` // always "list"
	Data   []Model `json:"data"`
}

// A Model is one entry of the list: a name that requests may ask for.
type Model struct {
	ID      string `json:"id"`
	Object  string `json:"object"` // always "model"
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
}

// FindModel returns the place of the model that a caller names: one of ids, or
// "default" or nothing for the first. Any other name is a 404 that lists them.
func FindModel(ids []string, name string) (int, error) {
	if name == "" || name == defaultModel {
		return 0, nil
	}
	if at := slices.Index(ids, name); at >= 0 {
		return at, nil
	}
	return 0, &Error{
		Status: http.StatusNotFound, Type: TypeInvalidRequest, Param: "model", Code: CodeModelNotFound,
		Message: fmt.Sprintf("This endpoint serves no model of that name. Its models are: '%s'; '%s' means the first.", strings.Join(ids, "', '"), defaultModel),
	}
}
