import { createRequire } from 'node:module'
import { sep } from 'node:path'

const require = createRequire(import.meta.url)
type JestSequencer = typeof import('@jest/test-sequencer', { with: {
  'resolution-mode': 'require',
}})
const { default: Sequencer }: JestSequencer = require('@jest/test-sequencer')

type Test = Parameters<InstanceType<typeof Sequencer>['sort']>[0][number]

const inPath = (one: string) => one.replaceAll('/', sep)

const slow = ['test/faults', 'test/mesh', 'services/host/test/workflows'].map(inPath)

/**
 * Slow, but not the first: the checks run beside the first tests, and a start of many processes
 * takes twice as long then.
 */
const starting = ['deploy/cli/test', 'test/replicas'].map(inPath)

/**
 * Starts the slow test files early: a slow file that starts last leaves the other jest worker idle.
 * Jest itself knows durations only from an earlier run in the same folder.
 */
export default class SlowFirst extends Sequencer {
  override async sort(tests: Test[]): Promise<Test[]> {
    const sorted = [...(await super.sort(tests))]
    const rankOf = ({ path }: Test) => {
      if (starting.some((one) => path.includes(one))) return 1
      return slow.some((one) => path.includes(one)) ? 0 : 2
    }
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other))
  }
}
