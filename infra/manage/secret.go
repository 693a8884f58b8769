package main

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
)

// A keyring is the endpoint's secret in Secrets Manager.
type keyring struct {
	client  *secretsmanager.Client
	id      string
	keys    keySet
	version string // of the value that keys was read from
}

// keyring reads the secret of the deployed endpoint.
func (s *session) keyring(ctx context.Context) (*keyring, error) {
	a, st, err := s.deployed(ctx)
	if err != nil {
		return nil, err
	}
	id, err := st.output("ApiKeySecretArn")
	if err != nil {
		return nil, err
	}
	r := &keyring{client: secretsmanager.NewFromConfig(a.cfg), id: id}
	return r, r.read(ctx)
}

func (r *keyring) read(ctx context.Context) error {
	out, err := r.client.GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: &r.id})
	if err != nil {
		return err
	}
	if out.SecretString == nil {
		return errors.New("the secret's value is binary: it must be text")
	}
	r.version = *out.VersionId
	r.keys, err = parseKeySet(*out.SecretString)
	return err
}

// write stores the keys, unless somebody else has changed the secret since it
// was read: their keys would be lost.
func (r *keyring) write(ctx context.Context) error {
	latest := &keyring{client: r.client, id: r.id}
	if err := latest.read(ctx); err != nil {
		return err
	}
	if latest.version != r.version {
		return errors.New("somebody else has just changed the keys: nothing was written, try again")
	}
	value := r.keys.String()
	out, err := r.client.PutSecretValue(ctx, &secretsmanager.PutSecretValueInput{SecretId: &r.id, SecretString: &value})
	if err != nil {
		return err
	}
	r.version = *out.VersionId
	return nil
}
