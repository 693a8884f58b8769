// Builds the dev server and runs it.

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
 * @returns {Promise<{baseURL: string, stop: () => Promise<{code: number | null, signal: string | null}>}>}
 *   the base URL it prints, and a function that ends it with SIGTERM and tells how it ended
 */
export async function start(env) {
  const dir = await mkdtemp(path.join(tmpdir(), 'devserver-'));
  try {
    const binary = path.join(dir, 'devserver');
    await promisify(execFile)('go', ['build', '-o', binary, './internal/cmd/devserver'], { cwd: root });
    const server = spawn(binary, { env: { PORT: '0', ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
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
    await rm(dir, { recursive: true }); // a running program does not need its file
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
  throw new Error(`the dev server ended without a base URL: ${out}${log}`);
}
