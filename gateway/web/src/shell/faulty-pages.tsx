import { Link, useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { faultOf, noAnswer } from '../api/faults.ts'
import { FaultBanner } from '../controls/form.tsx'
import { Screen } from '../controls/screen.tsx'
import { faultWords } from '../words/faults.ts'
import { findServedBuild, isLostPart, type ServedBuild } from './upgrade.ts'

/** Page for a URL without a screen. */
export function MissingPage() {
  return (
    <Screen title={faultWords.notFound} isNarrow>
      <p>{faultWords.notFoundText}</p>
      <p>
        <Link to="/">{faultWords.toHome}</Link>
      </p>
    </Screen>
  )
}

/** Error page of a screen that failed to render. */
export function BrokenPage({ error }: { error: unknown }) {
  const router = useRouter()
  const fault = faultOf(error)
  return (
    <Screen title={faultWords.failed} isNarrow>
      {isLostPart(error) ? (
        <LostPart />
      ) : (
        fault && <FaultBanner fault={fault} again={() => void router.invalidate()} />
      )}
    </Screen>
  )
}

/** Says why a chunk of the app cannot be loaded, and reloads the page once the server answers. */
function LostPart() {
  const [build, setBuild] = useState<ServedBuild | undefined>()
  useEffect(() => void findServedBuild().then(setBuild), [])
  if (build === undefined) return null
  const reload = async () => {
    const found = await findServedBuild()
    if (found === null) setBuild(found)
    else location.reload()
  }
  const [text, action] =
    build === null
      ? [faultWords.partAway, faultWords.again]
      : [build === 'other' ? faultWords.partGone : faultWords.broken, faultWords.reload]
  return <FaultBanner fault={{ ...noAnswer, text }} again={() => void reload()} action={action} />
}
