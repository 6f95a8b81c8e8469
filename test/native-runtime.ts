import { createRequire, registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'

const require = createRequire(import.meta.url)
type JestRuntime = typeof import('jest-runtime', { with: { 'resolution-mode': 'require' }})
const { default: Runtime }: JestRuntime = require('jest-runtime')

/**
 * Key of jest-circus' global event listeners. They are removed before each test file: the listeners
 * of the previous file would report its results twice.
 */
const circusListeners = Symbol.for('EVENT_HANDLERS')
const globalsUrl = 'jest:globals'
const globalsKey = 'coffer.jest-globals'

let globals: Record<string, object> = {}

/**
 * Runs test files as plain Node modules, so a jest worker loads the product and its libraries once.
 * Jest's own runtime compiles every module again for every test file, in a VM context, which takes
 * two thirds of the CPU time. Vitest (5.1, without isolation) saves no more: the tests of budgeting
 * take 37 to 40 s of CPU time with it, and 34 to 36 s with this runtime.
 *
 * State of modules persists from one test file to the next. Hooks that a function of a module
 * declares belong to the current file; those at the top of a module to the first file alone.
 */
export default class NativeRuntime extends Runtime {
  readonly #testPath: string

  constructor(...parameters: ConstructorParameters<typeof Runtime>) {
    super(...parameters)
    this.#testPath = parameters[6]
  }

  /**
   * Loads jest-circus and expect outside Jest's VM context, so they share `Error` and `String` with
   * the tests.
   */
  override requireInternalModule<T>(from: string, to?: string): T {
    if (to !== undefined) return super.requireInternalModule(from, to)
    Reflect.deleteProperty(globalThis, circusListeners)
    delete require.cache[from]
    return require(from)
  }

  override setGlobalsForRuntime(...given: Parameters<RuntimeType['setGlobalsForRuntime']>): void {
    super.setGlobalsForRuntime(...given)
    globals = this.requireModuleOrMock(this.#testPath, '@jest/globals')
  }

  override unstable_shouldLoadAsEsm(): boolean {
    return true
  }

  override async unstable_importModule(path: string): Promise<unknown> {
    return await import(pathToFileURL(path).href)
  }
}

type RuntimeType = InstanceType<typeof Runtime>

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@jest/globals') {
      return { url: globalsUrl, format: 'module', shortCircuit: true }
    }
    return next(specifier, context)
  },
  load(url, context, next) {
    if (url !== globalsUrl) return next(url, context)
    const names = Object.keys(globals)
    Reflect.set(globalThis, Symbol.for(globalsKey), Object.fromEntries(names.map(currentGlobal)))
    const source = `export const { ${names.join(', ')} } = globalThis[Symbol.for('${globalsKey}')]`
    return { format: 'module', shortCircuit: true, source }
  },
})

/** Returns a global that forwards to that of the current test file: a worker loads modules once. */
function currentGlobal(name: string): [string, object] {
  const current = () => globals[name] ?? {}
  const forwarded = new Proxy(() => {}, {
    apply: (_, self, given) => Reflect.apply(current() as () => unknown, self, given),
    get: (_, member) => Reflect.get(current(), member),
  })
  return [name, forwarded]
}
