import { createRequire } from 'node:module'
import { sep } from 'node:path'

const require = createRequire(import.meta.url)
type JestSequencer = typeof import('@jest/test-sequencer', { with: {
  'resolution-mode': 'require',
}})
const { default: Sequencer }: JestSequencer = require('@jest/test-sequencer')

type Test = Parameters<InstanceType<typeof Sequencer>['sort']>[0][number]

const inPath = (one: string) => one.replaceAll('/', sep)

/**
 * Groups of test files in the order of their start; other files follow. A slow file that starts
 * last would leave the other jest workers idle.
 */
const groups = [
  // It bundles the workflows: 4 s of CPU time. Two files at once would both bundle them, so the
  // other workers begin with slow files that need none.
  ['test/mesh/feed-sync.test.ts'],
  ['services/ledger/src/imports/formats/structured-fuzz.test.ts', 'test/house/tidy.test.ts'],
  // They fork often, which is cheap while the worker has little memory.
  ['deploy/local/test'],
  ['test/faults', 'test/mesh', 'services/host/test/workflows'],
  // The checks run beside the first tests, and a start of many processes takes twice as long then.
  ['deploy/cli/test', 'test/replicas'],
].map((group) => group.map(inPath))

/** Starts the slow test files early. Jest itself knows durations only from an earlier run. */
export default class SlowFirst extends Sequencer {
  override async sort(tests: Test[]): Promise<Test[]> {
    const sorted = [...(await super.sort(tests))]
    const rankOf = ({ path }: Test) => {
      const rank = groups.findIndex((group) => group.some((one) => path.includes(one)))
      return rank === -1 ? groups.length : rank
    }
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other))
  }
}
