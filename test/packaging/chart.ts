import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempDisposableSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { root } from '@coffer/local/bootstrap/paths.mjs'
import { isInstalled, toolDirectory } from './tools/install.ts'
import { helm, type Tool } from './tools/tool-list.ts'

export const chart = join(root, 'deploy/helm/coffer')

/** Value sets that every check renders, in `ci/` of the chart. */
export const valueSets = ['minimal', 'mesh', 'single', 'secured', 'observed', 'everything']

/** Values for usual servers, which are rendered upon the set `minimal`. */
export const examples = readdirSync(join(chart, 'examples'))

const outputBytesMax = 64 * 1024 * 1024

/** Throws FatalError naming the tools that are missing, and the command that installs them. */
export function requireTools(tools: Tool[]): void {
  const missing = tools.filter((tool) => !isInstalled(tool))
  if (missing.length === 0) return
  const names = missing.map(({ name, version }) => `${name} ${version}`)
  throw new FatalError(
    `Missing: ${names.join(', ')}. "npm run tools" installs them into the machine's cache; it ` +
      'needs Go 1.26, python3 with pip, and the network, and takes about 15 minutes once.',
  )
}

/** The outcome of a command that may fail. */
export interface Outcome {
  code: number
  stdout: string
  stderr: string
}

/** Runs a command to its end; resolves whatever its exit code is. */
export async function attempt(
  command: string,
  args: string[],
  { input = '', env = process.env }: { input?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<Outcome> {
  const running = promisify(execFile)(command, args, { env, maxBuffer: outputBytesMax })
  running.child.stdin?.end(input)
  try {
    return { code: 0, ...(await running) }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: unknown; stdout: string; stderr: string }
    if (typeof code !== 'number') throw error
    return { code, stdout, stderr }
  }
}

/** Runs a command; throws FatalError with its output when it fails. Returns standard output. */
export async function output(...call: Parameters<typeof attempt>): Promise<string> {
  const { code, stdout, stderr } = await attempt(...call)
  if (code !== 0) throw new FatalError(`${call[1].join(' ')}:\n${stdout}${stderr}`)
  return stdout
}

/** Returns the path of a tool's binary. */
export function binary(tool: Tool, name = tool.files[0] ?? ''): string {
  return join(toolDirectory(tool), name)
}

/** Returns the options of helm that name value files: a set of `ci/`, or an example upon it. */
export function valuesOf(set: string, example = ''): string[] {
  const files = [`ci/${set}.yaml`, ...(example === '' ? [] : [`examples/${example}`])]
  return files.flatMap((file) => ['--values', join(chart, file)])
}

/** Renders the chart as release `coffer` in namespace `budget`; returns the YAML of all objects. */
export function render(options: string[], tool = helm): Promise<string> {
  const place = ['--namespace', 'budget', '--kube-version', '1.34.0']
  return output(binary(tool), ['template', 'coffer', chart, ...place, ...options])
}

/** An object of Kubernetes in a rendered chart. */
export interface Manifest {
  kind: string
  metadata: {
    name: string
    labels?: Record<string, string>
    annotations?: Record<string, string>
  }
  // biome-ignore lint/suspicious/noExplicitAny: the shape differs by kind, and tests state theirs
  spec: any
}

/** Renders the chart as `render` does; returns its objects. */
export async function renderObjects(options: string[]): Promise<Manifest[]> {
  const text = await render(options)
  const template =
    '{{ range .Values.text | splitList "\\n---\\n" }}---\n{{ fromYaml . | toJson }}\n{{ end }}'
  return (await runTemplate(template, text)).filter((object): object is Manifest => object !== null)
}

/** Returns the values of a file of the chart, with those of values.yaml only if it is that file. */
export async function readValues(file: string): Promise<Record<string, unknown>> {
  const [values] = await runTemplate('{{ .Values | toJson }}', null, join(chart, file))
  return values as Record<string, unknown>
}

/**
 * Runs one template of a chart of its own, in which Helm reads YAML: with a text as the value
 * `text`, or a file of values. Returns the JSON objects, each of which is a line.
 */
async function runTemplate(template: string, text: string | null, values = ''): Promise<unknown[]> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'coffer-template-'))
  const path = (name: string) => join(folder.path, name)
  mkdirSync(path('templates'))
  writeFileSync(path('Chart.yaml'), 'apiVersion: v2\nname: json\nversion: 1.0.0\n')
  writeFileSync(path('templates/json.yaml'), template)
  if (text !== null) writeFileSync(path('text'), text)
  const given = text === null ? ['--values', values] : ['--set-file', `text=${path('text')}`]
  const lines = (await output(binary(helm), ['template', 'json', folder.path, ...given])).split(
    '\n',
  )
  return lines.filter((line) => /^[{n]/.test(line)).map((line) => JSON.parse(line))
}
