import { FatalError } from '../bootstrap/fatal-error.mjs'
import { root } from '../bootstrap/paths.mjs'
import { prepareRelease } from './next-release.ts'
import { runScript } from './script.ts'

// `npm run release -- 0.4.0`: writes the version into every file that contains it.
await runScript(async () => {
  const [version, ...rest] = process.argv.slice(2)
  if (version === undefined || rest.length > 0) {
    throw new FatalError('Name the next version: npm run release -- 0.4.0')
  }
  const day = new Date().toISOString().slice(0, 10)
  const files = await prepareRelease(version, { folder: root, env: process.env, day })
  console.log(`${files.map((file) => `  ${file}`).join('\n')}
${files.length} files are of ${version}. Then:
  npm test
  git commit --all --message "Release ${version}"
  git tag --annotate v${version} --message "Coffer ${version}"
  git push --follow-tags
  docker build --file deploy/image/Dockerfile --build-arg VERSION=${version} \\
    --tag <registry>/coffer:${version} . && docker push <registry>/coffer:${version}
  begin the changes after it under "## Unreleased" in CHANGELOG.md`)
  return 0
})
