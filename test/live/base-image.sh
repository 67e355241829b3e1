# Puts into the folder $1 what deploy/Containerfile uses of its base image: a few programs and the libraries of the
# executable $2, from this machine. The image itself cannot be pulled where the tests run.
set -eu
programs='sh bash cat chmod cp cut dpkg-query grep gzip mkdir sort tar'
libraries() { ldd "$1" | grep -o '/[^ ]*'; }
mkdir -p "$1/usr/bin" "$1/var/lib/dpkg/info" "$1/tmp"
ln -s usr/bin "$1/bin"
cp "$(command -v ldd)" "$1/usr/bin/"
for program in $programs; do
  cp --dereference "$(command -v "$program")" "$1/usr/bin/$program"
  libraries "$1/usr/bin/$program"
done > "$1/tmp/libraries"
libraries "$2" >> "$1/tmp/libraries"
# Each is a path without spaces.
cp --dereference --parents $(sort -u "$1/tmp/libraries") "$1"
cp --parents /var/lib/dpkg/status /var/lib/dpkg/info/format /var/lib/dpkg/info/lib*.list "$1"
