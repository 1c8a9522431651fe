#!/bin/sh
set -e
# pool 1
openstack server migrate --live-migration --host c2 --wait db  # drain of `c1`
# pool 2
openstack server migrate --live-migration --host c3 --wait a1  # drain of `c1`
