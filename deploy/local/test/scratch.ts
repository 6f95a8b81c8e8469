import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Progress } from '../bootstrap/progress.mjs'

const pollMs = 50
const pollsMax = 400

/** An empty directory that other users can enter, removed when disposed. */
export function scratchDirectory(): Disposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), 'coffer-local-'))
  chmodSync(path, 0o755)
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** An executable shell script. */
export function writeScript(path: string, body: string): string {
  writeFileSync(path, `#!/bin/sh\n${body}\n`, { mode: 0o755 })
  return path
}

/** Progress that keeps its lines to itself. */
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

/** Waits until it holds; fails after twenty seconds. */
export async function until(condition: () => boolean): Promise<void> {
  for (let polls = 0; polls < pollsMax && !condition(); polls += 1) {
    await sleep(pollMs)
  }
  if (!condition()) throw new Error(`it does not hold: ${condition}`)
}
