import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Progress } from '../bootstrap/progress.mjs'

const pollMs = 50
const pollsMax = 400

/** Environment of git in a scratch repository: commits need a name, which a machine may lack. */
export const gitEnvironment = {
  ...process.env,
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.com',
}

/** Creates an empty directory that other users can enter; disposing removes it. */
export function scratchDirectory(): Disposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), 'coffer-local-'))
  chmodSync(path, 0o755)
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** Writes an executable shell script, and returns its path. */
export function writeScript(path: string, body: string): string {
  writeFileSync(path, `#!/bin/sh\n${body}\n`, { mode: 0o755 })
  return path
}

/** Progress that records its lines instead of printing them. */
export function quietProgress(): Progress & { lines: string[] } {
  const lines: string[] = []
  return {
    lines,
    say: (name, text) => void lines.push(`${name} ${text}`),
    step: (name, text, work) => {
      lines.push(`${name} ${text}`)
      return work()
    },
  }
}

/** Waits until the condition holds; fails after 20 s. */
export async function until(condition: () => boolean): Promise<void> {
  for (let polls = 0; polls < pollsMax && !condition(); polls += 1) {
    await sleep(pollMs)
  }
  if (!condition()) throw new Error(`it does not hold: ${condition}`)
}
