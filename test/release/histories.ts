import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { RecordedRun } from '@coffer/host/testing/histories'

/** Folder of the recorded histories, with a folder for each commit that recorded them. */
const stored = fileURLToPath(new URL('../data/histories/', import.meta.url))

/** Returns all recorded histories. */
export function storedRuns(): RecordedRun[] {
  const files = readdirSync(stored, { recursive: true, encoding: 'utf8' })
  return files
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => ({
      type: basename(file, '.json'),
      workflowId: file,
      events: JSON.parse(readFileSync(join(stored, file), 'utf8')).events,
    }))
}

/** Returns the run of each type that has the most events. */
export function longestRuns(runs: RecordedRun[]): RecordedRun[] {
  const byType = Map.groupBy(runs, ({ type }) => type)
  return [...byType.values()].flatMap((all) =>
    all.sort((a, b) => b.events.length - a.events.length).slice(0, 1),
  )
}

/** Writes a file for each run into the folder, with a line for each event. */
export function storeRuns(runs: RecordedRun[], folder: string): void {
  mkdirSync(folder, { recursive: true })
  for (const { type, events } of runs) {
    const lines = events.map((event) => JSON.stringify(event))
    writeFileSync(join(folder, `${type}.json`), `{"events":[\n${lines.join(',\n')}\n]}\n`)
  }
}
