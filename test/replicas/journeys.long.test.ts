import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'

const root = fileURLToPath(new URL('../..', import.meta.url))
const jest = createRequire(import.meta.url).resolve('jest/bin/jest')

/** The journeys through a running Coffer; `upgrade` has a deployment of its own. */
const journeys = [
  'first-budget',
  'csv-import',
  'upload',
  'enumeration',
  'bank-sync',
  'mail',
  'sign-in',
]

/** Tests that move the clock of the services, which only services in their own process have. */
const moving = ['until it expires', 'an expired password', 'after its time']

test.each(journeys)(
  'the journey %s passes through two processes of everything',
  async (name) => {
    const pattern = `^(?!.*(${moving.join('|')}))`
    const args = [jest, `test/journeys/${name}.test.ts`, '--testNamePattern', pattern]
    const { COFFER_TEST_SEED: _, ...env } = process.env
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
      cwd: root,
      env: { ...env, COFFER_TEST_REPLICAS: '2' },
    })
    let text = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        text += chunk
      })
    }
    const [code] = await once(child, 'close')
    if (code !== 0) throw new Error(text)
    expect(text).toMatch(/Tests: .*\d+ passed/)
  },
  600_000,
)
