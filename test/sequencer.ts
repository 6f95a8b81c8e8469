import { createRequire } from 'node:module'
import { sep } from 'node:path'

const require = createRequire(import.meta.url)
type JestSequencer = typeof import('@jest/test-sequencer', { with: {
  'resolution-mode': 'require',
}})
const { default: Sequencer }: JestSequencer = require('@jest/test-sequencer')

type Test = Parameters<InstanceType<typeof Sequencer>['sort']>[0][number]

const slowFolders = [
  'test/faults',
  'test/mesh',
  'deploy/cli/test',
  'deploy/host/test/workflows',
].map((folder) => folder.replaceAll('/', sep))

/**
 * Starts the test files of the slowest folders first: a slow file that starts last leaves the other
 * jest worker idle. Jest itself knows durations only from an earlier run in the same folder.
 */
export default class SlowFirst extends Sequencer {
  override async sort(tests: Test[]): Promise<Test[]> {
    const sorted = [...(await super.sort(tests))]
    const isSlow = ({ path }: Test) => slowFolders.some((folder) => path.includes(folder))
    return [...sorted.filter(isSlow), ...sorted.filter((test) => !isSlow(test))]
  }
}
