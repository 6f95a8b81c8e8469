import { randomInt } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { root } from '../bootstrap/paths.mjs'
import { createProgress } from '../bootstrap/progress.mjs'
import { runScript } from './script.ts'
import { withTestServers } from './test-servers.ts'

const { COFFER_TEST_SEED, COFFER_TEST_ROUNDS } = process.env

// Runs the tests with random input in rounds, each round with its own seed.
await runScript((stop) => {
  const log = createProgress()
  const rounds = Number(COFFER_TEST_ROUNDS ?? 20)
  const first = Number(COFFER_TEST_SEED ?? randomInt(2 ** 31 - rounds))
  const named = process.argv.slice(2)
  const files = named.length > 0 ? named : filesWithRandomInput()
  return withTestServers({ log, stop }, async (run) => {
    for (let seed = first; seed < first + rounds && !stop.aborted; seed += 1) {
      log.say('seed', `${seed}, round ${seed - first + 1} of ${rounds}`)
      const { failed } = await run(files, { ...process.env, COFFER_TEST_SEED: `${seed}` })
      if (failed === 0) continue
      console.log(`${failed} failed; COFFER_TEST_SEED=${seed} npm test -- <file> repeats it`)
      return 1
    }
    return 0
  })
})

function filesWithRandomInput(): string[] {
  const all = globSync('{services,gateway,deploy,test}/**/*.test.ts', {
    cwd: root,
    exclude: ['**/node_modules'],
  })
  return all.filter((path) =>
    /'fast-check'|\/seed\.ts'/.test(readFileSync(`${root}/${path}`, 'utf8')),
  )
}
