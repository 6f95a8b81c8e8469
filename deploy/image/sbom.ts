import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

// Completes the software bill of materials of an image (CycloneDX). Reads the output of `pnpm sbom`
// from standard input. Writes the packages that are installed, Node with the packages in its
// distribution, and the packages of Debian. Argument: the root of the workspace.
const root = process.argv[2] ?? ''

interface Component {
  type: string
  name: string
  version: string
  purl: string
  'bom-ref': string
}

interface Bill {
  metadata: { component: { type: string } }
  components: Component[]
  dependencies: { ref: string; dependsOn?: string[] }[]
}

const bill: Bill = JSON.parse(readFileSync('/dev/stdin', 'utf8'))
const installed = new Set(packagesIn(join(root, 'node_modules/.pnpm/*/node_modules')))
const own = bill.components.filter(({ purl }) => installed.has(purl))
const components = [...own, ...runtime(), ...debianPackages()]
const refs = new Set([...components.map((one) => one['bom-ref']), bill.dependencies[0]?.ref])
const dependencies = bill.dependencies
  .filter(({ ref }) => refs.has(ref))
  .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) }))
bill.metadata.component.type = 'application'
console.log(JSON.stringify({ ...bill, components, dependencies }))

/** Returns the package URLs (purl) of the packages in folders `node_modules`. */
function packagesIn(folders: string): string[] {
  return globSync([`${folders}/*/package.json`, `${folders}/@*/*/package.json`]).flatMap((path) => {
    const { name, version } = JSON.parse(readFileSync(path, 'utf8'))
    return version === undefined ? [] : [npmUrl(name, version)]
  })
}

/** Returns a package URL: https://github.com/package-url/purl-spec, type npm. */
function npmUrl(name: string, version: string): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}

/** Returns Node, and the packages in its distribution. */
function runtime(): Component[] {
  const version = process.versions.node
  const node = component({
    type: 'application',
    name: 'node',
    version,
    purl: `pkg:generic/node@${version}`,
  })
  const beside = packagesIn(join(process.execPath, '../../lib/node_modules'))
  return [node, ...beside.map(npmComponent)]
}

function npmComponent(purl: string): Component {
  const [, name = '', version = ''] = /^pkg:npm\/(.+)@(.+)$/.exec(purl) ?? []
  return component({ type: 'library', name: decodeURIComponent(name), version, purl })
}

/** Returns the packages of Debian, as dpkg lists them. */
function debianPackages(): Component[] {
  const format = `\${Package} \${Version} \${Architecture}\\n`
  const lines = execFileSync('dpkg-query', ['--show', `--showformat=${format}`], {
    encoding: 'utf8',
  })
  const release = /^VERSION_ID="?(\w+)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1]
  return lines
    .trim()
    .split('\n')
    .map((line) => {
      const [name = '', version = '', arch = ''] = line.split(' ')
      const where = `arch=${arch}&distro=debian-${release}`
      const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?${where}`
      return component({ type: 'library', name, version, purl })
    })
}

function component(one: Omit<Component, 'bom-ref'>): Component {
  return { ...one, 'bom-ref': one.purl }
}
