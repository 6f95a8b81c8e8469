import { randomInt } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { root } from '../bootstrap/paths.mjs'
import { createProgress } from '../bootstrap/progress.mjs'
import { runScript } from './script.ts'
import { withTestServers } from './test-servers.ts'

const { COFFER_TEST_SEED, COFFER_TEST_ROUNDS } = process.env

// Runs the tests named *.long.test.ts once, then all tests with random input in rounds, each with
// its own seed. Tests named on the command line run only in the rounds.
await runScript((stop) => {
  const log = createProgress()
  const rounds = Number(COFFER_TEST_ROUNDS ?? 20)
  const first = Number(COFFER_TEST_SEED ?? randomInt(2 ** 31 - rounds))
  const named = process.argv.slice(2)
  return withTestServers({ log, stop }, async (run) => {
    const withSeed = (seed: number) => ({ ...process.env, COFFER_TEST_SEED: `${seed}` })
    const total = { passed: 0, failed: 0 }
    if (named.length === 0) {
      const once = testFiles('.long.test.ts').filter((path) => !isRandom(path))
      const { passed, failed } = await run(once, withSeed(first))
      total.passed += passed
      total.failed += failed
    }
    const files = named.length > 0 ? named : testFiles('.test.ts').filter(isRandom)
    for (let seed = first; seed < first + rounds && !stop.aborted; seed += 1) {
      log.say('seed', `${seed}, round ${seed - first + 1} of ${rounds}`)
      const { passed, failed } = await run(files, withSeed(seed))
      total.passed += passed
      total.failed += failed
      if (failed === 0) continue
      console.log(`${failed} failed; COFFER_TEST_SEED=${seed} npm test -- <file> repeats it`)
      break
    }
    console.log(`${total.passed} passed, ${total.failed} failed`)
    return total.failed === 0 ? 0 : 1
  })
})

function isRandom(path: string): boolean {
  return /'fast-check'|\/seed\.ts'/.test(readFileSync(`${root}/${path}`, 'utf8'))
}

function testFiles(ending: string): string[] {
  return globSync(`{services,gateway,deploy,test}/**/*${ending}`, {
    cwd: root,
    exclude: ['**/node_modules'],
  })
}
