# The last step of both ways to make the image; run as root inside it.
set -eu

# Every Python inside is the analysis environment's, which is shown at run time: a script forwards to it, since a
# program of that name elsewhere would look for its library beside itself.
for name in python python3; do
    rm -f "/usr/bin/$name"
    printf '#!/bin/sh\nexec /opt/analysis/bin/python3 "$@"\n' >"/usr/bin/$name"
    chmod 755 "/usr/bin/$name"
done

# Some runtimes ignore the mode asked for when a directory is there already.
mkdir -p /data /dev/shm /opt/analysis /workspace /etc/fonts
touch /opt/control
chmod 1777 /dev/shm /workspace /tmp

cat >/etc/fonts/fonts.conf <<'FONTS'
<fontconfig><dir>/usr/share/fonts</dir><cachedir>/tmp/fontconfig</cachedir></fontconfig>
FONTS
printf 'passwd: files\ngroup: files\nhosts: files\n' >/etc/nsswitch.conf

# Nothing in it gives anybody more rights, and nothing is left of making it.
find / -xdev -type f -perm /6000 -exec chmod a-s {} +
rm -rf /boot /etc/apt /etc/gshadow* /etc/shadow* /home /media /mnt /root /run/* /srv /usr/include /usr/local /usr/src
rm -rf /var 2>/dev/null || true
