sacctmgr -i add qos urgent
sacctmgr -i modify qos urgent set priority=100 maxjobspu=3
for it in law:35 music:35 sport:30; do sacctmgr -i add account ${it%:*} fairshare=${it#*:}; done
for it in nina:law otto:law paul:law rosa:music sven:music tina:music uma:sport vera:sport will:sport; do
  sacctmgr -i add user ${it%:*} account=${it#*:} fairshare=1 qos=normal,urgent defaultqos=normal; done
