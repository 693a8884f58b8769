// Builds and runs the servers that the client is tried on.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const root = path.join(import.meta.dirname, '..', '..', '..');

/**
 * Starts the dev server on a free port, with the given variables and nothing else
 * in its environment.
 *
 * @param {Record<string, string>} env
 */
export const startDevServer = (env) => start(root, './internal/cmd/devserver', { PORT: '0', ...env });

/**
 * Starts the compiled functions behind a fake API Gateway, with a fake AWS
 * around them, and the given variables on top of this process's own.
 *
 * @param {Record<string, string>} env
 */
export const startDeployed = (env) => start(path.join(root, 'internal', 'clienttest'), './node/deployed', { ...process.env, ...env });

/**
 * @param {string} dir the folder of the Go module
 * @param {string} pkg the command's package in it
 * @param {Record<string, string>} env
 * @returns {Promise<{baseURL: string, stop: () => Promise<{code: number | null, signal: string | null}>}>}
 *   the base URL it prints, and a function that ends it with SIGTERM and tells how it ended
 */
async function start(dir, pkg, env) {
  const out = await mkdtemp(path.join(tmpdir(), 'server-'));
  try {
    const binary = path.join(out, 'server');
    await promisify(execFile)('go', ['build', '-o', binary, pkg], { cwd: dir });
    const server = spawn(binary, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = once(server, 'exit');
    return {
      baseURL: await baseURL(server),
      stop: async () => {
        process.kill(server.pid, 'SIGTERM');
        const [code, signal] = await ended;
        return { code, signal };
      },
    };
  } finally {
    await rm(out, { recursive: true }); // a running program does not need its file
  }
}

/** Waits for the base URL on the server's standard output. */
async function baseURL(server) {
  let log = '';
  server.stderr.setEncoding('utf8').on('data', (text) => (log += text));
  let out = '';
  for await (const text of server.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    out += text;
    const found = /Base URL\s+(http:\S+)\n/.exec(out);
    if (found) {
      server.stdout.resume(); // what follows is not read
      return found[1];
    }
  }
  throw new Error(`the server ended without a base URL: ${out}${log}`);
}
