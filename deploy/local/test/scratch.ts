import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Progress } from '../bootstrap/progress.mjs'

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
