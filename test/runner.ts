import { createRequire } from 'node:module'
import { sep } from 'node:path'

const require = createRequire(import.meta.url)
type JestRunner = typeof import('jest-runner', { with: { 'resolution-mode': 'require' }})
const { default: TestRunner }: JestRunner = require('jest-runner')

type Runner = InstanceType<typeof TestRunner>
type Event = Parameters<Runner['on']>[0]
type Listener<Name extends Event> = Parameters<typeof TestRunner.prototype.on<Name>>[1]
type Given = ConstructorParameters<typeof TestRunner>
type Run = Parameters<Runner['runTests']>

/**
 * Folders whose tests mostly wait: for pauses, for servers that fall silent, for processes that
 * start. They use a fifth of the time of a core, and other tests half of it. Together they take as
 * long as one of the other workers.
 */
const waitingFolders = [
  'deploy/cli/test',
  'deploy/local/test',
  'services/aggregator-sync/test',
  'services/feed-sync/test',
  'services/host/test',
  'test/client',
  'test/faults',
  'test/replicas',
  'test/secured',
  'test/telemetry',
].map((folder) => `${sep}${folder.replaceAll('/', sep)}${sep}`)

/**
 * Runs the tests that mostly wait in a worker of their own, beside the two of all others, so that
 * processes start one after the other. A run of few other tests needs no further worker.
 */
export default class WaitingBeside extends TestRunner {
  readonly #beside: Runner

  constructor(globalConfig: Given[0], context: Given[1]) {
    super(globalConfig, context)
    this.#beside = new TestRunner({ ...globalConfig, maxWorkers: 1 }, context)
  }

  override async runTests(tests: Run[0], watcher: Run[1], options: Run[2]): Promise<void> {
    const { rootDir } = this._globalConfig
    const isWaiting = ({ path }: Run[0][number]) => {
      return waitingFolders.some((folder) => path.startsWith(`${rootDir}${folder}`))
    }
    const waiting = tests.filter(isWaiting)
    const others = tests.filter((test) => !isWaiting(test))
    const isOneRun = options.serial || waiting.length === 0 || others.length < waiting.length
    if (isOneRun) return await super.runTests(tests, watcher, options)
    await Promise.all([
      super.runTests(others, watcher, options),
      this.#beside.runTests(waiting, watcher, options),
    ])
  }

  override on<Name extends Event>(name: Name, listener: Listener<Name>): () => void {
    const ends = [super.on(name, listener), this.#beside.on(name, listener)]
    return () => {
      for (const end of ends) end()
    }
  }
}
