import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { runJest } from '../src/jest.ts'
import { scratchDirectory } from './scratch.ts'

const timeoutMs = 60_000

function runOver(directory: string, files: Record<string, string>) {
  mkdirSync(join(directory, 'tests'))
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(directory, 'tests', `${name}.test.js`), text)
  }
  // Failures are what these tests are about: nobody should read of them.
  const reporter = join(directory, 'quiet.cjs')
  writeFileSync(reporter, 'module.exports = class {}')
  return runJest({
    args: [`--reporters=${reporter}`, '--config={}', `--rootDir=${directory}/tests`],
    outputFile: join(directory, 'results.json'),
    env: process.env,
    stop: new AbortController().signal,
  })
}

test(
  'tests are counted, and a file that cannot be run is one failure',
  async () => {
    using scratch = scratchDirectory()
    const counts = await runOver(scratch.path, {
      good: 'test("one", () => {}); test("two", () => {})',
      bad: 'test("three", () => { throw new Error("expected") }); test("four", () => {})',
      broken: 'this is no program',
    })
    expect(counts).toEqual({ passed: 3, failed: 2 })
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
