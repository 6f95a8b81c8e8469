import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { root } from '../bootstrap/paths.mjs'
import { runJest } from '../src/jest.ts'
import { scratchDirectory } from './scratch.ts'

const timeoutMs = 60_000

const { default: config } = await import(join(root, 'jest.config.js'))
const { workerGracefulExitTimeout } = config

function runOver(directory: string, files: Record<string, string>, names: string[] = []) {
  mkdirSync(join(directory, 'tests'))
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(directory, 'tests', `${name}.test.js`), text)
  }
  return runJest({
    args: [
      `--config=${JSON.stringify({ workerGracefulExitTimeout })}`,
      `--rootDir=${directory}/tests`,
      ...names,
    ],
    outputFile: join(directory, 'results.json'),
    env: process.env,
    stop: new AbortController().signal,
    // These tests fail on purpose, so the terminal does not show them.
    output: openSync(join(directory, 'output'), 'w'),
  })
}

test(
  'tests are counted, and a file that cannot be run is one failure',
  async () => {
    using scratch = scratchDirectory()
    const counts = await runOver(scratch.path, {
      good: 'test("one", () => {}); test("two", () => { setTimeout(() => {}, 2_000) })',
      bad: 'test("three", () => { throw new Error("expected") }); test("four", () => {})',
      broken: 'this is no program',
      circular: 'test("five", () => { const e = new Error("x"); e.self = e; throw e })',
    })
    expect(counts).toEqual({ passed: 3, failed: 3 })
    // A worker process that exits late is waited for: memory takes the system some time to free.
    const output = readFileSync(join(scratch.path, 'output'), 'utf8')
    expect(output).toContain('Tests:')
    expect(output).not.toContain('failed to exit gracefully')
  },
  timeoutMs,
)

test(
  'only the named ones are run',
  async () => {
    using scratch = scratchDirectory()
    const files = { one: 'test("one", () => {})', two: 'test("two", () => {})' }
    expect(await runOver(scratch.path, files, ['one'])).toEqual({ passed: 1, failed: 0 })
  },
  timeoutMs,
)

test(
  'no test at all is a failure',
  async () => {
    using scratch = scratchDirectory()
    expect(await runOver(scratch.path, {})).toEqual({ passed: 0, failed: 1 })
  },
  timeoutMs,
)
