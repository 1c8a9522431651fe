for it in ocean:50 plasma:30 steel:20; do sacctmgr -i add account ${it%:*} fairshare=${it#*:}; done
for it in ada:ocean ben:ocean cleo:ocean dora:plasma emil:plasma finn:plasma gina:steel hugo:steel; do
  sacctmgr -i add user ${it%:*} account=${it#*:} fairshare=1; done
